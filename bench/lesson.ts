import type { LessonAnswer } from "../server/lessons/content/answer-schema.ts";
import { readMarkdown } from "../server/lessons/content/markdown-read.ts";
import type { LessonQuestion } from "../server/lessons/content/question-schema.ts";
import { listQuestions } from "../server/lessons/content/questions.ts";

/** What the learners of the bench take: every type of question that is marked without a person. */
const TEXT = `---
title: Phishing, and what to do about it
description: How to recognise a message that wants your password.
language: en
pass_mark: 80
---

# What phishing is

## A message that lies

A **phishing** message pretends to come from somebody you trust, so that you open a file, follow a link or give away a
password. It is the _most frequent_ beginning of an attack.

1. It is urgent.
2. It asks for something that nobody should ask for.
3. Its sender is almost your bank.

:::tip
Hover over a link to see where it leads.
:::

## What to do

> When in doubt, call. Use a number that you knew before.

Report what you got to the help desk, which warns the others.

# What you know now

## Questions

:::multiple-choice{#first weight=2 shuffle}
Your bank asks for your PIN by mail. What do you do?

- [x] Report it
- [ ] Answer it
- [ ] Delete it
:::

:::multiple-choice{#many multiple partial-credit}
Which of these are signs?

- [x] Urgency
- [x] A strange sender
- [ ] A spelling that you don't like
:::

:::true-false{#lock answer=false}
A lock in the address bar means that a site is honest.
:::

:::match{#ways partial-credit}
What belongs together?

- Phishing
  - by mail
- Smishing
  - by text message
- Vishing
  - by telephone
:::

:::order{#steps partial-credit}
You clicked. In which order do you act?

1. Disconnect the network
2. Call the help desk
3. Change the password on another device
:::

:::fill-blank{#desk partial-credit}
Report phishing to :blank[abuse@example.com | abuse], within :blank[one | 1]{#hours} hour.
:::

:::poll{#sure}
How sure do you feel now?

- Very
- Not at all
:::
`;

/** The content as a version of a lesson has it. */
export const { document } = readMarkdown(TEXT);

export const questions: readonly LessonQuestion[] = listQuestions(document);

/** The right answer to each question as it is stored, with the author's ids. */
export const rightAnswers: ReadonlyMap<string, LessonAnswer> = new Map(
  questions.map((question) => [question.id, answerRightly(question)]),
);

function answerRightly(question: LessonQuestion): LessonAnswer {
  switch (question.type) {
    case "multiple_choice":
      return { choices: question.choices.filter(({ correct }) => correct).map(({ id }) => id) };
    case "poll":
      return { choices: question.choices.slice(0, 1).map(({ id }) => id) };
    case "true_false":
      return { value: question.correct };
    case "match":
      return { pairs: question.pairs.map(({ id }) => ({ left: id, right: id })) };
    case "order":
      return { items: question.items.map(({ id }) => id) };
    case "fill_blank":
      return { blanks: question.blanks.map(({ id, answers: [text = ""] }) => ({ id, text })) };
    default:
      throw new Error(`${question.id} needs a person to mark it`);
  }
}
