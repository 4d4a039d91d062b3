#!/bin/sh
# nodemailer sends an address beyond ASCII to a server that does not offer SMTPUTF8.
#
# Versions: nodemailer 10.6.0 (npm), Node 20, run 2026-11-29.
# Behaviour: RFC 6531, 3.2 says that a client must not send such an address where the server's EHLO
# does not list SMTPUTF8. nodemailer writes it into RCPT TO all the same, as UTF-8 and without the
# SMTPUTF8 word at MAIL FROM, and calls the mail sent where the server takes it; where the server
# offers SMTPUTF8 the word is there. Whoever relies on the library to refuse learns of it by a
# bounce, or not at all: look at the offer before the mail is handed over.
# Output seen:
#   without the offer: MAIL FROM:<a@example.org> | RCPT TO:<jörg@example.org> | accepted 1
#   with the offer: MAIL FROM:<a@example.org> SMTPUTF8 | RCPT TO:<jörg@example.org> | accepted 1
# Source: RFC 6531, sections 3.2 and 3.4.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund nodemailer@10.6.0
cat >send.cjs <<'J'
const net = require("node:net");
const { createTransport } = require("nodemailer");

async function send(offer) {
  const said = [];
  const server = net.createServer((socket) => {
    let isData = false;
    let rest = "";
    socket.write("220 here ESMTP\r\n");
    socket.on("data", (bytes) => {
      rest += bytes.toString("utf8");
      for (let end; (end = rest.indexOf("\r\n")) >= 0;) {
        const line = rest.slice(0, end);
        rest = rest.slice(end + 2);
        if (isData) {
          if (line === ".") { isData = false; socket.write("250 taken\r\n"); }
          continue;
        }
        if (/^(MAIL|RCPT)/.test(line)) said.push(line);
        if (/^EHLO/.test(line)) socket.write(`250-here\r\n${offer}250 8BITMIME\r\n`);
        else if (line === "DATA") { isData = true; socket.write("354 go on\r\n"); }
        else if (line === "QUIT") socket.end("221 bye\r\n");
        else socket.write("250 ok\r\n");
      }
    });
  }).listen(0, "127.0.0.1");
  await new Promise((listening) => server.on("listening", listening));
  const transport = createTransport({ host: "127.0.0.1", port: server.address().port, ignoreTLS: true });
  const { accepted } = await transport.sendMail({
    from: "a@example.org",
    to: "jörg@example.org",
    subject: "s",
    text: "t",
  });
  server.close();
  return `${said.join(" | ")} | accepted ${accepted.length}`;
}

(async () => {
  console.log("without the offer:", await send(""));
  console.log("with the offer:", await send("250-SMTPUTF8\r\n"));
})();
J
node send.cjs | tee seen
grep -q '^without the offer: MAIL FROM:<a@example.org> | RCPT TO:<jörg@example.org> | accepted 1$' seen
grep -q '^with the offer: MAIL FROM:<a@example.org> SMTPUTF8' seen
