import assert from "node:assert/strict";
import { test } from "node:test";
import type { OutgoingPolicy } from "./address.ts";
import { checkUrl } from "./url.ts";

const PRODUCTION: OutgoingPolicy = { allowsHttp: false, allowedNetworks: [] };

function problemOf(url: string, policy = PRODUCTION): string | undefined {
  const checked = checkUrl(url, policy);
  return "problem" in checked ? checked.problem : undefined;
}

function hrefOf(url: string): string | undefined {
  const checked = checkUrl(url, PRODUCTION);
  return "url" in checked ? checked.url.href : undefined;
}

test("an address is taken as typed, but for its host, which is written as DNS wants it", () => {
  const query = "https://example.com/hooks/1?b=2&a=%20%2F&b=1&c=ü;d=[]{}&e";
  assert.equal(hrefOf(query), query.replace("ü", "%C3%BC"));
  assert.equal(hrefOf("https://bücher.example/ä"), "https://xn--bcher-kva.example/%C3%A4");
  assert.equal(hrefOf("HTTPS://Example.COM:443"), "https://example.com/");
  assert.equal(hrefOf("https://example.com:8443/a/../b"), "https://example.com:8443/b");
  assert.equal(hrefOf("https://8.8.8.8/"), "https://8.8.8.8/");
  assert.equal(hrefOf("https://[2606:4700::1111]/"), "https://[2606:4700::1111]/");
  assert.equal(
    hrefOf("https://example.com/me@home?mail=a@b.example"),
    "https://example.com/me@home?mail=a@b.example",
  );
  const longest = `https://example.com/${"a".repeat(1980)}`;
  assert.equal(hrefOf(longest), longest);
  assert.equal(problemOf(`${longest}a`), "must be at most 2000 characters long");
});

function port(number: number): string {
  return `must not lead to port ${number}, which is for something other than webhooks`;
}

test("what could mean another address than it seems is refused with what to do", () => {
  const credentials = "must not have a user name or password in it; use the authorization or headers";
  const odd = "must not have spaces, control characters or backslashes in it";
  const scheme = "must begin with https://";
  const host = "must have a valid host in it";
  const problems = {
    "https://user:secret@example.com/": credentials,
    "https://user@example.com/": credentials,
    "https://@example.com/": credentials,
    "https://example.com@127.0.0.1/": credentials,
    "https://exa mple.com/": odd,
    " https://example.com/": odd,
    "https://example.com/\r\nHost: other": odd,
    "https://example.com/\u0000": odd,
    "https://example\u200B.com/": odd,
    "https://example.com/\u202Egpj": odd,
    "https:\\\\example.com/": odd,
    "https://example.com\\@127.0.0.1/": odd,
    "http://example.com/": scheme,
    "https:example.com": scheme,
    "https:/example.com": scheme,
    "//example.com/": scheme,
    "example.com": scheme,
    "file:///etc/passwd": scheme,
    "javascript:alert(1)": scheme,
    "ftp://example.com/": scheme,
    "": scheme,
    "https://": host,
    "https:///hooks": host,
    "https://exa<mple.com/": host,
    "https://1.2.3.4.5/": host,
    "https://256.1.1.1/": host,
    "https://[::1/": host,
    "https://example.com:99999/": host,
    "https://example.com:22/": port(22),
    "https://example.com:25/": port(25),
    "https://example.com:0/": port(0),
    "https://example.com:6667/": port(6667),
    "https://127.1/": "must not lead to 127.0.0.1, a loopback address",
    "https://localhost/": "must not lead to 127.0.0.1, a loopback address",
    "https://[fd00:ec2::254]/": "must not lead to fd00:ec2::254, a cloud's metadata service",
    "https://192.168.0.1/": "must not lead to 192.168.0.1, an address in a private network",
  };
  for (const [url, problem] of Object.entries(problems)) assert.equal(problemOf(url), problem, url);
});

test("http and networks that are not public are let through where the operator says so", () => {
  const development = { allowsHttp: true, allowedNetworks: ["127.0.0.0/8", "::1/128"] };
  assert.equal(problemOf("http://localhost:3000/hooks", development), undefined);
  assert.equal(problemOf("http://127.0.0.1:3000/hooks", development), undefined);
  assert.equal(problemOf("ftp://127.0.0.1/", development), "must begin with https:// or http://");
  assert.equal(
    problemOf("http://10.0.0.1/", development),
    "must not lead to 10.0.0.1, an address in a private network",
  );
});
