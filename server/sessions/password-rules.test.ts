import assert from "node:assert/strict";
import { test } from "node:test";
import { findPasswordFault } from "./password-rules.ts";

const known = { name: "Grace Hopper", email: "g.hopper@navy.example", subdomain: "navalyard" };

test("a new password is long, and none that is guessed first", () => {
  const refused = {
    "must have at least": ["", "eleven char", "😀😀😀😀😀😀😀😀😀😀😀"],
    "must have at most": ["long words ".repeat(12)],
    "is among those": [
      "password1234",
      "Password2026!",
      "P@ssw0rd!2026",
      "  dragon 123456",
      "michael-jordan",
      "Correct Horse Battery Staple",
      "qwertyuiop12",
    ],
    "is a pattern": ["abababababab", "abcdefghijklm", "aaaaaaaaaaaab", "xyz9!xyz9!xyz9!", "0987654321098"],
    "is made of": ["Grace Hopper 1", "navalyard-2026", "g.hopper@navy.example", "hopper lectern"],
  };
  for (const [start, passwords] of Object.entries(refused)) {
    for (const password of passwords) {
      assert.ok(findPasswordFault(password, known)?.startsWith(start), `${password} ${start}`);
    }
  }
  const taken = [
    "correct horse battery",
    "nine quiet otters",
    "grace likes nine otters",
    "purple monkey elephant",
    "длинный пароль здесь",
    "密码应该足够长并且独特一些",
    "x".repeat(3) + "Kq8#fL2m!vR",
    "tr0ub4dor&3xyzzy ".repeat(7),
  ];
  for (const password of taken) assert.equal(findPasswordFault(password, known), undefined, password);
});
