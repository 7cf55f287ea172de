/** What the demo company teaches. */

interface DemoLesson {
  readonly title: string;
  readonly description: string;
  readonly tags: readonly number[];
  readonly isPublic?: true;
  readonly isArchived?: true;
}

export const demoTags = ["Security", "Onboarding", "Product", "Leadership", "Mandatory"].map(
  (name, index) => ({
    id: index + 1,
    name,
  }),
);
const [security, onboarding, product, leadership, mandatory] = [1, 2, 3, 4, 5];

const lessons: readonly DemoLesson[] = [
  {
    title: "Spot a phishing mail in ten seconds",
    description:
      "Five real mails that reached our inboxes. You decide which are traps, and learn the three places to look at first: sender, link, hurry.",
    tags: [security, mandatory],
    isPublic: true,
  },
  {
    title: "Passwords, passkeys and your password manager",
    description:
      "Why one strong password is not enough, how a passkey works without the mathematics, and how to move your accounts in an afternoon.",
    tags: [security, mandatory],
  },
  {
    title: "Personal data: what it is and who may see it",
    description:
      "A name on a badge, an address in a ticket, a salary in a sheet. When data is personal, what the law asks of us, and what to do when somebody wants theirs deleted.",
    tags: [security, mandatory],
  },
  {
    title: "Report a security incident in five minutes",
    description:
      "You clicked on it. Nobody will be angry, but the clock runs: whom to call, what to write down, what not to touch.",
    tags: [security],
  },
  {
    title: "Welcome: who we are and how we work",
    description:
      "From two people in a garage to five offices: what we make, what we believe, and why our meetings end ten minutes early.",
    tags: [onboarding],
    isPublic: true,
  },
  {
    title: "Your first week, day by day",
    description:
      "Laptop on Monday, buddy on Tuesday, first customer call on Thursday. A list to tick off, and whom to ask when something is missing.",
    tags: [onboarding],
  },
  {
    title: "Travel and expenses without tears",
    description:
      "What we pay for, what we don't, and how a receipt becomes money in your account within a week.",
    tags: [onboarding],
  },
  {
    title: "Our product in fifteen minutes",
    description:
      "Follow one customer through a working day with our product, from the first login to the monthly report.",
    tags: [product, onboarding],
    isPublic: true,
  },
  {
    title: "Pricing: what a customer pays for",
    description:
      "Three plans, two add-ons and one honest answer to the question why we cost more than the cheapest.",
    tags: [product],
  },
  {
    title: "Stay calm on a difficult support call",
    description:
      "Let them finish, say back what you heard, promise only what you can keep. With recordings of calls that went well, and one that did not.",
    tags: [product],
  },
  {
    title: "Give feedback that helps",
    description:
      "Describe what you saw, say what it did, ask what they think. Practise on four situations every manager meets in the first year.",
    tags: [leadership],
  },
  {
    title: "Fire safety in the old office",
    description:
      "Exits, alarms and the assembly point in Harbour Street. We moved out: the lesson is kept for the records.",
    tags: [mandatory],
    isArchived: true,
  },
];

/** `daysAgo` gives the time so many days before the demo was made. */
export function makeDemoLessons(daysAgo: (days: number) => string) {
  return lessons.map(({ title, description, tags, isPublic = false, isArchived = false }, index) => ({
    id: index + 1,
    title,
    description,
    retake_score: index % 3 === 0 ? 90 : 80,
    public: isPublic,
    created_at: daysAgo(620 - index * 11),
    last_updated_at: index % 2 === 0 ? daysAgo(90 - index) : null,
    archived_at: isArchived ? daysAgo(140) : null,
    archived_by_user_id: isArchived ? 1 : null,
    tags: tags.map((id) => ({ id })),
  }));
}

type Step =
  | { readonly resource_type: "lesson" | "path"; readonly id: number }
  | { readonly resource_type: "wait_step"; readonly id: number; readonly amount: number }
  | { readonly resource_type: "placeholder"; readonly id: number; readonly description: string };

interface DemoPath {
  readonly title: string;
  readonly description: string;
  readonly tags: readonly number[];
  readonly isCertification?: true;
  readonly steps: readonly Step[];
}

const lesson = (id: number): Step => ({ resource_type: "lesson", id });
const wait = (id: number, amount: number): Step => ({ resource_type: "wait_step", id, amount });

const paths: readonly DemoPath[] = [
  {
    title: "Security basics",
    description: "What everybody has to know before they get access to customers' data. Renewed every year.",
    tags: [security, mandatory],
    isCertification: true,
    steps: [lesson(1), lesson(2), wait(1, 7), lesson(3), lesson(4)],
  },
  {
    title: "Onboarding",
    description: "The first month, one step at a time: the company, the essentials of security, the product.",
    tags: [onboarding],
    steps: [
      lesson(5),
      lesson(6),
      { resource_type: "path", id: 1 },
      wait(2, 14),
      lesson(8),
      lesson(7),
      {
        resource_type: "placeholder",
        id: 1,
        description: "A lesson of your own team comes here: ask your lead.",
      },
    ],
  },
  {
    title: "Product expert",
    description:
      "For all who talk with customers: what the product does, what it costs, and how to help when it does not work.",
    tags: [product],
    steps: [lesson(8), lesson(9), wait(3, 3), lesson(10)],
  },
  {
    title: "First-time manager",
    description:
      "For your first team: feedback now, hard conversations a month later, when you have had some.",
    tags: [leadership],
    steps: [
      lesson(11),
      wait(4, 30),
      lesson(10),
      {
        resource_type: "placeholder",
        id: 2,
        description: "A talk with your mentor about your first quarter.",
      },
    ],
  },
];

export function makeDemoPaths(daysAgo: (days: number) => string) {
  return paths.map(({ title, description, tags, isCertification = false, steps }, index) => ({
    id: index + 1,
    title,
    description,
    enforced_order: index < 2,
    public: false,
    created_at: daysAgo(500 - index * 20),
    last_updated_at: daysAgo(60 - index),
    published_at: daysAgo(480 - index * 20),
    publisher_id: 2,
    is_certification: isCertification,
    tags: tags.map((id) => ({ id })),
    contents: steps.map((step) =>
      step.resource_type === "wait_step"
        ? { ...step, effect: "locked", condition: "prev_step_finished", unit: "days" }
        : step,
    ),
  }));
}

/** The lessons of a path, with those of the paths in it. */
export function lessonsOfPath(path_id: number): number[] {
  const steps = paths[path_id - 1]?.steps ?? [];
  return steps.flatMap((step) => {
    if (step.resource_type === "lesson") return [step.id];
    return step.resource_type === "path" ? lessonsOfPath(step.id) : [];
  });
}

export function makeDemoCourses(daysAgo: (days: number) => string) {
  const course = { public: false, owner_id: 2, last_updated_at: null };
  return [
    {
      ...course,
      id: 1,
      title: "Customer support foundations",
      created_at: daysAgo(690),
      description: "The course that the path Product expert follows on. Whoever has begun it may finish it.",
      lessons: [{ id: 8 }, { id: 10 }],
      tags: [{ id: product }],
    },
    {
      ...course,
      id: 2,
      title: "Workplace basics",
      created_at: daysAgo(700),
      description: "Data, travel and fire safety in one afternoon, as we taught it before there were paths.",
      lessons: [{ id: 3 }, { id: 7 }, { id: 12 }],
      tags: [{ id: mandatory }],
      archived_at: daysAgo(140),
      archived_by_user_id: 1,
    },
  ];
}
