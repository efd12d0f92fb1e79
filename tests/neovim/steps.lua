-- What a user does in Neovim, one step after the other; what is seen is written to $REPORT as JSON.
local PATIENCE = 60000 -- milliseconds; only a failing test waits so long
local report = {}

local function wait(what, condition)
  if not vim.wait(PATIENCE, condition, 20) then error("waited in vain: " .. what) end
end

local function ask(question)
  vim.fn.setqflist({}, "f")
  vim.cmd("CodeciteAsk " .. question)
  wait(question, function() return #vim.fn.getqflist() > 0 end)
end

local function first_line()
  vim.cmd("cc 1")
  return { vim.fn.expand("%:t"), vim.fn.line("."), vim.fn.getline(".") }
end

-- What the window says that floats above the text, once there is one.
local function floating()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= "" then
      return vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false)
    end
  end
end

local function steps()
  vim.cmd("edit rocket.py")
  local clients = vim.lsp.get_clients or vim.lsp.get_active_clients -- those that are initialized
  wait("the server is there", function() return #clients() > 0 end)

  ask("where is launch_rocket defined?")
  local list = vim.fn.getqflist({ title = 1, items = 1 })
  for _, item in ipairs(list.items) do item.file = vim.api.nvim_buf_get_name(item.bufnr) end
  report.listed = list
  report.jumped = first_line()

  vim.fn.search("launch_rocket", "c")
  vim.lsp.buf.hover()
  wait("a hover", floating)
  report.hover = table.concat(floating(), "\n")

  vim.api.nvim_buf_set_lines(0, 0, 0, false, { "def land_softly(speed):", "    return speed", "" })
  ask("where is launch_rocket defined?")
  report["after typing"] = first_line()
  ask("land_softly")
  report["typed and not saved"] = first_line()

  vim.notify = function(message) report["nothing found"] = message end
  vim.cmd("CodeciteAsk qwxzv jjkqp zzyzx")
  wait("an answer without evidence", function() return report["nothing found"] end)
end

local fine, problem = xpcall(steps, debug.traceback)
vim.fn.writefile({ vim.json and vim.json.encode(report) or vim.fn.json_encode(report) }, vim.env.REPORT)
if not fine then
  io.stderr:write(problem .. "\n")
  vim.cmd("cquit!")
end
vim.cmd("qall!")
