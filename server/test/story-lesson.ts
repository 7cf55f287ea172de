/** A lesson with a question of every type, as an author writes it. */
export const storyLesson = `---
title: Fire safety
description: What to do before, during and after a fire.
language: en
pass_mark: 80
public: false
tags:
  - Safety
---

# Before a fire

## Know your way out {#way-out}

Every corridor has **two** ways out. Walk both of them today.

:::warning
Never use the lift.
:::

# What you know now

## Questions {#questions}

:::multiple-choice{#first weight=2}
You smell smoke. What do you do first?

- [x] Raise the alarm
- [ ] Look for the fire
- [ ] Finish the mail

::hint[Others may sleep.]
:::

:::multiple-choice{#many multiple partial-credit weight=2}
Which of these do you take with you?

- [x] People who need help
- [x] Nothing else
- [ ] The laptop
:::

:::true-false{#lift answer=false}
In a fire the lift is the fastest way out.
:::

:::match{#classes partial-credit}
Which extinguisher for which fire?

- Paper
  - water
- Oil
  - foam
- Server room
  - carbon dioxide
:::

:::order{#steps partial-credit}
In which order?

1. Raise the alarm
2. Close the doors
3. Leave by the stairs
:::

:::fill-blank{#number}
The number to call is :blank[112 | 911].
:::

:::free-response{#tell weight=2 min-length=10 max-length=500}
Where is your second way out?

::criterion[Names a place]{points=2}
::criterion[Says how to get there]{points=2}
:::

:::free-response{#photo answer=file}
Hand in a note of your meeting point.
:::

:::practice-recording{#call media=audio max-seconds=60}
Call the fire brigade.

::criterion[Says where]{points=1}
:::

:::poll{#sure}
How sure are you?

- Very
- Not at all
:::
`;

interface Question {
  readonly id: string;
  readonly choices?: readonly Option[];
  readonly left?: readonly Option[];
  readonly right?: readonly Option[];
  readonly items?: readonly Option[];
  readonly blanks?: readonly { readonly id: string }[];
}

interface Option {
  readonly id: string;
  readonly text: string;
}

const right = {
  first: ["Raise the alarm"],
  many: ["People who need help", "Nothing else"],
  sure: ["Very"],
} as const;
const wrong = { first: ["Finish the mail"], many: ["The laptop"], sure: ["Not at all"] } as const;
const pairs = [
  ["Paper", "water"],
  ["Oil", "foam"],
  ["Server room", "carbon dioxide"],
] as const;
const steps = ["Raise the alarm", "Close the doors", "Leave by the stairs"];

/** An answer to a question of the lesson, in the ids that the learner sees. */
export function answerTo(question: Question, isRight: boolean, file_id: number): object {
  switch (question.id) {
    case "first":
    case "many":
    case "sure":
      return { choices: (isRight ? right : wrong)[question.id].map((text) => idOf(question.choices, text)) };
    case "lift":
      return { value: !isRight };
    case "classes":
      return {
        pairs: pairs.map(([left, partner], index) => ({
          left: idOf(question.left, left),
          right: idOf(question.right, isRight ? partner : (pairs[(index + 1) % pairs.length]?.[1] ?? "")),
        })),
      };
    case "steps":
      return { items: (isRight ? steps : steps.toReversed()).map((text) => idOf(question.items, text)) };
    case "number":
      return { blanks: (question.blanks ?? []).map(({ id }) => ({ id, text: isRight ? "112" : "110" })) };
    case "tell":
      return { text: isRight ? "Through the kitchen, down the yard stairs." : "I don't know." };
    default:
      return { file_id };
  }
}

function idOf(options: readonly Option[] = [], text: string): string {
  return options.find((option) => option.text === text)?.id ?? text;
}
