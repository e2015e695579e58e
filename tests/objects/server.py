#!/usr/bin/env python3
"""A server for tests of debuginfod: server.py LOG PORT_FILE [silent | FILE]

Listens on a free port of this machine, whose number goes to PORT_FILE, and writes a line to
LOG for each connection. It then says nothing (silent), answers every request with FILE, or
with "not found".
"""
import socket
import sys
import threading


def answer(connection, body):
    data = b""
    while b"\r\n\r\n" not in data:
        more = connection.recv(65536)
        if not more:
            return
        data += more
    if body is None:
        head = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    else:
        head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % len(body)
    connection.sendall(head + (body or b""))
    connection.close()


def main():
    log, port_file, *mode = sys.argv[1:]
    body = open(mode[0], "rb").read() if mode and mode[0] != "silent" else None
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(64)
    with open(port_file, "w") as out:
        print(listener.getsockname()[1], file=out)
    kept = []
    while True:
        connection, _ = listener.accept()
        with open(log, "a") as out:
            print("connection", file=out)
        kept.append(connection)
        if mode != ["silent"]:
            threading.Thread(target=answer, args=(connection, body), daemon=True).start()


main()
