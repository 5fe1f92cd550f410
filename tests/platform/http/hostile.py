"""URLs and addresses that must never receive a request."""


def _words(text: str) -> list[str]:
    return text.split()


# This machine, or the network around it, in every notation that some program reads.
NUMBERS = _words(
    "127.0.0.1 127.1 127.0.1 127.127.127.127 127.255.255.254 2130706433 0x7f000001 0x7f.0.0.1 "
    "0x7f.1 0x7F000001 017700000001 0177.0.0.1 0177.0.0.01 0177.1 00000177.0.0.1 127.000.000.001 "
    "127.0.0.1. 127.0.0.0x1 127.0x0.0.1 127.0.0.01 0 0.0.0.0 0x0 0.0 00000000 0.0.0.1 "
    "10.0.0.1 10.1 167772161 0xa000001 012.0.0.1 10.255.255.255 172.16.0.1 172.31.255.255 "
    "2886729729 0xac100001 192.168.0.1 192.168.1 192.168.257 3232235521 0xc0a80001 0300.0250.0.1 "
    "169.254.169.254 169.254.43518 2852039166 0xa9fea9fe 0251.0376.0251.0376 0xa9.0xfe.0xa9.0xfe "
    "169.254.169.254. 169.254.170.2 100.64.0.1 100.100.100.200 100.127.255.255 1681915908 "
    "168.63.129.16 192.0.0.192 192.0.0.1 192.0.2.1 192.88.99.1 198.18.0.1 198.19.255.255 "
    "198.51.100.7 203.0.113.9 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255 4294967295 "
    "0xffffffff 1.2.3 1.2.3.4.5 256.256.256.256 1.1.1.256 4294967296 0x100000000 0x 1.1.1.0x1 "
    "1.0x 192.31.196.1 192.52.193.1 192.175.48.1"
)

SIXES = _words(
    "::1 :: ::0 0:0:0:0:0:0:0:1 0000:0000:0000:0000:0000:0000:0000:0001 ::127.0.0.1 ::7f00:1 "
    "::ffff:127.0.0.1 ::ffff:7f00:1 ::FFFF:7F00:0001 0:0:0:0:0:ffff:127.0.0.1 ::ffff:0:127.0.0.1 "
    "::ffff:10.0.0.1 ::ffff:169.254.169.254 ::ffff:a9fe:a9fe ::ffff:8.8.8.8 ::ffff:0.0.0.0 "
    "64:ff9b::127.0.0.1 64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 64:ff9b:1::7f00:1 64:ff9b::8.8.8.8 "
    "2002:7f00:1:: 2002:7f00:0001::1 2002:a9fe:a9fe:: 2002:c0a8:1:: 2002:808:808:: "
    "2001:0:7f00:1:: 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:: 2001:10::1 2001:20::1 2001:2::1 "
    "2001:db8::1 2001:1::1 3ffe::1 3fff::1 3fff:fff::1 2620:4f:8000::1 100::1 100:0:0:1::1 "
    "fc00::1 fd00::1 fd00:ec2::254 fd20:ce::254 fdff:ffff::1 fe80::1 fe80::a9fe:a9fe febf::1 "
    "fec0::1 feff::1 ff00::1 ff01::1 ff02::1 ff02::2 ff05::2 ff0e::1 5f00::1 4000::1 8000::1 "
    "1::1 1000::1 ffff::1 fe00::1 0:0:0:0:0:0:0:0"
)

# Bracketed texts that are no address, or a link-local one of this machine.
BRACKETS = _words(
    "fe80::1%25lo fe80::1%lo ::1%25lo ::1%1 fe80::1%eth0 v1.abc :: :::1 ::1::1 1:2:3:4:5:6:7:8:9 "
    "::g 127.0.0.1 localhost 0x7f000001 ::ffff:127.1 ::ffff:0177.0.0.1 ::ffff:2130706433 "
    "::ffff:0x7f.0.0.1 1:2:3"
)

NAMES = _words(
    "localhost LOCALHOST LocalHost localhost. localhost.. .localhost localhost.localdomain "
    "localhost.localdomain. a.localhost foo.bar.localhost localhost4 localhost6 ip6-localhost "
    "ip6-loopback router printer db postgres kubernetes metadata metadata. intranet "
    "metadata.google.internal metadata.google.internal. METADATA.GOOGLE.INTERNAL "
    "instance-data.ec2.internal printer.local nas.lan wiki.corp fritz.home box.home.arpa "
    "1.0.0.127.in-addr.arpa host.docker.internal example..com .example.com example.com. "
    "-a.example.com a-.example.com a_b.example.com ex%61mple.com example.com%00.internal "
    "%6c%6f%63%61%6c%68%6f%73%74 127%2e0%2e0%2e1 *.example.com example.com,localhost "
    "example.com;localhost (example.com) 'example.com' $(example.com) a+b.example.com"
)
ODD_NAMES = [
    f"{'a' * 64}.example.com",
    f"{'a.' * 130}example.com",
    # Letters that some programs read as ASCII: digits in circles and full width, full stops of
    # other scripts, a soft hyphen, a sharp s, zero-width spaces.
    "\u2460\u2461\u2466.0.0.1",
    "\uff11\uff12\uff17.0.0.1",
    "127\u30020\u30020\u30021",
    "127\uff0e0\uff0e0\uff0e1",
    "127\uff610\uff610\uff611",
    "localho\u017ft",
    "\u24db\u24de\u24d2\u24d0\u24db\u24d7\u24de\u24e2\u24e3",
    "local\u00adhost",
    "local\u200bhost",
    "xn--\u00e9.example.com",
    "b\u00fccher.example.com",
    "\u0661\u0662\u0667.0.0.1",
    "example.com\u2215.internal",
    "example.com\uff03.internal",
    "example\u3002com",
]

# Whole URLs; `{port}` is an open port of this machine.
URLS = [
    "http://example.com/",
    "http://example.com:443/",
    "HTTP://EXAMPLE.COM/",
    "ftp://example.com/",
    "file:///etc/passwd",
    "gopher://127.0.0.1:{port}/_x",
    "ws://example.com/",
    "wss://example.com/",
    "data:text/plain,x",
    "javascript:alert(1)",
    "unix:///var/run/docker.sock",
    "dict://127.0.0.1:{port}/x",
    "https:example.com",
    "https:/example.com",
    "https:///example.com",
    "https:////127.0.0.1:{port}/",
    "https//example.com",
    "https:\\\\example.com\\",
    "//example.com/",
    "/webhooks",
    "example.com",
    "",
    " ",
    "https://",
    "https:///",
    "https://?x",
    "https://#x",
    "https://:8443/",
    "https://@/",
    "https://[]/",
    "https://[/",
    "https://]/",
    "https://[::1/",
    "https://::1/",
    "https://[::1]x/",
    "https://x[::1]/",
    "https://[::1][::1]/",
    "https://[example.com]/",
    "https://example.com:80/",
    "https://example.com:22/",
    "https://example.com:5432/",
    "https://example.com:8444/",
    "https://example.com:0/",
    "https://example.com:-443/",
    "https://example.com:+443/",
    "https://example.com:443:443/",
    "https://example.com:4_43/",
    "https://example.com:65979/",
    "https://example.com:443443/",
    "https://example.com:0x1bb/",
    "https://example.com:/",
    "https://example.com:https/",
    "https://user@example.com/",
    "https://user:secret@example.com/",
    "https://:@example.com/",
    "https://example.com@127.0.0.1:{port}/",
    "https://127.0.0.1:{port}@example.com/",
    "https://example.com:443@127.0.0.1:{port}/",
    "https://127.0.0.1:{port}\\@example.com/",
    "https://example.com\\@127.0.0.1:{port}/",
    "https://127.0.0.1:{port}#@example.com/",
    "https://127.0.0.1:{port}?@example.com/",
    "https://127.0.0.1:{port}%23@example.com/",
    "https://example.com%40127.0.0.1:{port}/",
    "https://example.com/#fragment",
    "https://example.com/#",
    "https://example.com /",
    " https://example.com/",
    "https://example.com/ ",
    "https://example.com/a b",
    "https://exam\tple.com/",
    "ht\ntps://example.com/",
    "https://example.com\n/",
    "https://example.com/\n",
    "https://example.com/\r\nHost: 127.0.0.1",
    "https://example.com/\r\n\r\nGET / HTTP/1.1",
    "https://example.com\r\n.internal/",
    "https://127.0.0.1\t:{port}/",
    "https://example.com/\x00",
    "https://example.com\x00.internal/",
    "https://example.com/\x7f",
    "https://example.com/\u00e9",
    "https://example.com/<script>",
    'https://example.com/"',
    "https://example.com/`id`",
    "https://example.com/{{x}}",
    "https://example.com/|x",
    "https://example.com/^",
    "\ufeffhttps://example.com/",
    "https\uff1a//example.com/",
    "https://example.com/" + "a" * 2_000,
]


def urls(port: int) -> list[str]:
    """Return all hostile URLs; `port` is open on every address of this machine."""
    hosts = [*NUMBERS, *(f"[{each}]" for each in (*SIXES, *BRACKETS)), *NAMES, *ODD_NAMES]
    created = [
        f"{scheme}{host}{at}/"
        for host in hosts
        for scheme, at in (("https://", ":8443"), ("https://", ""), ("http://", f":{port}"))
    ]
    return [*created, *(each.replace("{port}", str(port)) for each in URLS)]


# URLs that a sandbox may send to: this machine, in plain notation.
OWN_HOSTS = frozenset({"localhost", "127.0.0.1", "127.127.127.127", "127.255.255.254", "::1"})
