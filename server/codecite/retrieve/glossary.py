"""Programming words of Chinese and what they are called in code.

Code is named in English even where its users ask in Chinese. A run of Chinese is cut by the longest entry that fits at
each place; what fits no entry stays as Chinese, to be met by comments and documents in that script. An entry with no
translation is a function word: it says nothing about what is looked for.

The vocabulary is general: what the words of programming are called, not what any project calls its parts.
"""

from collections.abc import Iterator

_ENTRIES = """
数据库 database db|数据表 table|数据类型 data type|数据结构 data structure|数据 data|缓存 cache
缓冲区 buffer|缓冲 buffer|配置文件 config file|配置 config|设置 set setting|选项 option
参数 parameter argument|实参 argument|形参 parameter|变量 variable|常量 constant|函数 function|方法 method
构造函数 constructor|析构函数 destructor|构造 construct build|类型 type|类 class|对象 object|实例 instance
接口 interface|抽象 abstract|基类 base|父类 parent super|子类 subclass|继承 inherit extend|实现 implement
重写 override|重载 overload|泛型 generic|枚举 enum|结构体 struct|结构 structure|联合 union|元组 tuple
数组 array|列表 list|集合 set collection|字典 dict map|映射 map mapping|队列 queue|栈 stack|堆 heap|树 tree
图 graph|节点 node|链表 linked list|哈希 hash|散列 hash|索引 index|键 key|值 value|字段 field
属性 property attribute|成员 member field|元素 element item|名称 name|名字 name|命名 naming name
标识符 identifier|标识 identifier id|别名 alias|字符串 string|字符 character char|字节 byte|数字 number
整数 integer int|浮点数 float|浮点 float|布尔 boolean bool|空值 null none|空 empty null|默认值 default
默认 default|可选 optional|必填 required|必需 required|只读 readonly|日期 date|时间戳 timestamp|时间 time
时区 timezone|时长 duration|货币 currency|精度 precision|随机 random|文件 file|目录 directory
文件夹 folder directory|路径 path|扩展名 extension|后缀 suffix|前缀 prefix|符号链接 symlink|读取 read
写入 write|写出 write|打开 open|关闭 close|保存 save|加载 load|载入 load|下载 download|上传 upload
删除 delete remove|移除 remove|添加 add|增加 add|新增 add|插入 insert|更新 update|修改 change modify
替换 replace|重命名 rename|复制 copy|移动 move|合并 merge|拆分 split|分割 split|分块 chunk|拼接 join concat
连接 connect connection|查询 query|搜索 search|查找 find lookup|获取 get fetch|取得 get|返回 return
发送 send|接收 receive|接受 accept|推送 push|拉取 pull|提交 commit submit|回滚 rollback|事务 transaction
锁 lock|并发 concurrency concurrent|并行 parallel|同步 sync|异步 async|线程池 thread pool|线程 thread
进程 process|协程 coroutine|任务 task job|定时 timer schedule|调度 schedule dispatch|超时 timeout|重试 retry
等待 wait|阻塞 block blocking|取消 cancel|中断 interrupt|终止 terminate abort|退出 exit|启动 start|停止 stop
运行 run|执行 execute run|调用 call invoke|触发 trigger emit|回调 callback|钩子 hook|事件 event
监听 listen listener|订阅 subscribe|发布 publish release|通知 notify notification|信号 signal|消息 message
日志 log logging logger|记录 record log|级别 level|错误 error|异常 exception|抛出 throw raise|捕获 catch
警告 warning|失败 fail failure|成功 success|崩溃 crash panic|调试 debug|堆栈 stack trace|追踪 trace
跟踪 trace track|监控 monitor|统计 statistics count|计数 count|计算 compute calculate|请求 request
响应 response|头部 header|请求头 request header|正文 body|状态码 status code|状态 state status|会话 session
上下文 context|路由 route router routing|中间件 middleware|控制器 controller|视图 view|模板 template
渲染 render|模型 model|表单 form|页面 page|分页 pagination page|前端 frontend|后端 backend|客户端 client
服务器 server|服务端 server|服务 service|代理 proxy|网关 gateway|主机 host|域名 domain|地址 address
端口 port|协议 protocol|套接字 socket|网络 network|重定向 redirect|跨域 cors origin
认证 authenticate authentication auth|授权 authorize authorization|权限 permission|登录 login|注销 logout
用户 user|密码 password|密钥 key secret|令牌 token|加密 encrypt|解密 decrypt|签名 sign signature
证书 certificate|安全 security safe|攻击 attack|防止 prevent protect|保护 protect protection
注入 inject injection|转义 escape|校验器 validator|校验 validate check|验证 validate verify|检查 check
约束 constraint|限制 limit restrict|范围 range|长度 length|大小 size|最大 max maximum|最小 min minimum
数量 count number|排序 sort order|顺序 order|过滤 filter|筛选 filter|分组 group|匹配 match|比较 compare
相等 equal|正则表达式 regex|正则 regex|模式 pattern mode|表达式 expression|语句 statement|条件 condition
循环 loop|迭代器 iterator|迭代 iterate|遍历 walk traverse|递归 recursive|生成器 generator|生成 generate
转换 convert transform|解析器 parser|解析 parse|序列化 serialize|反序列化 deserialize|编码 encode encoding
解码 decode|格式化 format|格式 format|压缩 compress|解压 decompress|编译 compile|构建 build
打包 package bundle|部署 deploy|安装 install|卸载 uninstall|升级 upgrade|版本 version|依赖 dependency
依赖注入 dependency injection|模块 module|包 package|库 library|导入 import|导出 export|插件 plugin
扩展 extension extend|注册表 registry|注册 register|注解 annotation|装饰器 decorator|宏 macro|指针 pointer
引用 reference|内存 memory|泄漏 leak|分配 allocate|释放 release free|垃圾回收 garbage collect|输入 input
输出 output|打印 print|标准输出 stdout|终端 terminal|命令行 command line cli|命令 command|子命令 subcommand
提示 prompt hint|进度条 progress bar|进度 progress|颜色 color|样式 style|光标 cursor|菜单 menu|窗口 window
按钮 button|文本 text|行 line|列 column|注释 comment|标题 title heading|描述 description|信息 info message
元数据 metadata|标签 tag label|内容 content|类似 like|附加 attach extra|额外 extra additional|忽略 ignore
跳过 skip|排除 exclude|包含 include contain|支持 support|启用 enable|禁用 disable|开关 switch toggle
标记 mark flag|标志 flag|指定 specify|自定义 custom|绑定 bind binding|包装 wrap wrapper|适配器 adapter
工厂 factory|单例 singleton|策略 strategy policy|处理器 handler processor|处理 handle process|管理器 manager
管理 manage|初始化 init initialize|创建 create|定义 define definition|声明 declare declaration|重置 reset
清理 clean cleanup|清空 clear|刷新 refresh flush|恢复 recover restore|备份 backup|迁移 migration migrate
快照 snapshot|测试 test|单元测试 unit test|模拟 mock|断言 assert|示例 example|例子 example|文档 docs
说明 docs|教程 tutorial|更新日志 changelog|脚本 script|工具 tool util|辅助 helper|算法 algorithm|引擎 engine
语言 language locale|翻译 translate locale|国际化 i18n locale|本地化 localization locale|大写 upper
小写 lower|下划线 underscore|空格 space|换行 newline|分隔符 separator delimiter|流 stream|管道 pipe pipeline
通道 channel|批量 batch|轮询 poll|心跳 heartbeat|限流 throttle rate limit|负载均衡 load balance|首次 first
最后 last|当前 current|全局 global|局部 local|公共 public|私有 private|静态 static|动态 dynamic|嵌套 nested
作用域 scope|生命周期 lifecycle|唯一 unique|重复 duplicate repeat|冲突 conflict|碰撞 collision|差异 diff
补丁 patch|邮箱 email mail|邮件 email mail|链接 link url|网址 url|图片 image|附件 attachment|二进制 binary
人类可读 human readable pretty|从 from|识别 recognize match|保持 keep|逐段 stream|逐行 line|形状 shape
可用 available|拼写 spelling|年 year|月 month|日 day|的|了|着|过|是|在|和|与|或|及|把|被|给|对|让|使|将|向
由|于|中|里|上|下|内|外|时|后|前|都|也|就|还|并|而|但|且|若|如果|当|以及|或者|之|之一|之间|之后|之前|一个
一种|两个|两种|几个|多个|所有|每个|各个|某个|某些|这个|那个|这些|那些|它|它们|他们|我|我们|你|你们|其|其中
在哪里|在哪儿|在哪|哪里|哪儿|哪个|哪些|哪一个|什么|为什么|怎么|怎样|怎么样|如何|是否|是不是|有没有|吗|呢|吧
啊|请|请问|帮我|怎么实现|如何实现|在哪里实现|是怎么|怎么做|做到|代码|部分|地方|用于|用来|通过|根据|关于|比如
例如|以|到|不|没有|需要|可以|能够|应该|会|要|想|用|负责|进行|完成|相关|位于|方式|功能|情况|问题|整个|等|做
得
"""


def _parse(text: str) -> dict[str, tuple[str, ...]]:
    entries = (entry.split() for line in text.split("\n") for entry in line.split("|") if entry.strip())
    return {chinese: tuple(english) for chinese, *english in entries}


GLOSSARY = _parse(_ENTRIES)
_LONGEST = max(map(len, GLOSSARY))


def translate(run: str) -> Iterator[tuple[str, tuple[str, ...] | None]]:
    """Cut a run of Chinese into pieces, in order: (piece, its English words).

    The words are empty for a function word and None for a stretch that no entry fits.
    """
    start = position = 0
    while position < len(run):
        size = next((n for n in range(_LONGEST, 0, -1) if run[position : position + n] in GLOSSARY), 0)
        if not size:
            position += 1
            continue
        if start < position:
            yield run[start:position], None
        piece = run[position : position + size]
        yield piece, GLOSSARY[piece]
        start = position = position + size
    if start < len(run):
        yield run[start:], None
