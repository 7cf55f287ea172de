import type { Letter } from "../mail/transport/letter.ts";

/** A mail that any server takes, with what a test wants to be different. */
export function letterWith(changes: Partial<Letter> = {}): Letter {
  return {
    message_id: "<assigned.7.41@lectern.example.com>",
    from: { name: "Acme", address: "no-reply@example.com" },
    to: { name: "Ada Lovelace", address: "ada@example.com" },
    subject: "A new lesson: Fire safety",
    text: "Hello Ada,\n\nFire safety was assigned to you.\n.\n..and a line that begins with dots\n",
    html: "<p>Hello Ada,</p>\n<p>Fire safety was assigned to you.</p>\n",
    headers: {
      "List-Unsubscribe": "<https://lectern.example.com/mail/off/x>",
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    },
    date: new Date("2026-11-21T09:00:00.000Z"),
    locale: "en",
    ...changes,
  };
}
