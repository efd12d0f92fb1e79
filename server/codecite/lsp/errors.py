"""Failures as the client hears them: one clear line, the mend, never a traceback."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any, TypeVar

from lsprotocol.types import ErrorCodes, LSPErrorCodes
from pygls.exceptions import JsonRpcException

from codecite.model.errors import BadInput, Cancelled, CodeciteError

log = logging.getLogger(__name__)

Params = TypeVar("Params")


def one_line(error: CodeciteError) -> str:
    """Return the message and, where there is one, what to do about it."""
    return f"{error.message}; {error.mend}" if error.mend else error.message


def response_error(error: CodeciteError) -> JsonRpcException:
    """Return the error of a response; `data` holds our own code and the mend by themselves."""
    if isinstance(error, BadInput):
        code: int = ErrorCodes.InvalidParams
    elif isinstance(error, Cancelled):
        code = LSPErrorCodes.RequestCancelled
    else:
        code = LSPErrorCodes.RequestFailed
    return JsonRpcException(one_line(error), int(code), {"code": error.code, "mend": error.mend})


def answering(handler: Callable[[Params], Awaitable[Any]]) -> Callable[[Params], Awaitable[Any]]:
    """Make a handler of requests fail only with an error response that a person can read."""

    @wraps(handler)
    async def answer(params: Params) -> Any:
        try:
            return await handler(params)
        except CodeciteError as error:
            raise response_error(error) from None
        except (asyncio.CancelledError, JsonRpcException):
            raise
        except Exception as error:
            log.exception("%s failed", handler.__name__)
            what = f"codecite failed on this request ({type(error).__name__}); its log says where"
            raise JsonRpcException(what, int(ErrorCodes.InternalError)) from None

    return answer
