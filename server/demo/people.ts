/** The people of the demo company: what they are called, where they work, and what they may do. */

const learner = 32;
const creator = 34;
const manager = 36;
const admin = 42;
const trainer = 100;

export const demoRoles = [{ id: trainer, name: "trainer" }];

export const demoFields = [
  { id: 1, name: "Cost centre" },
  { id: 2, name: "Start cohort" },
];

interface Team {
  readonly department: string;
  readonly location: string;
  readonly locale: string;
  readonly lead: readonly [name: string, job: string];
  readonly people: readonly (readonly [name: string, job: string, role_id: number])[];
}

/** Each lead manages the group of their team. */
const teams: readonly Team[] = [
  {
    department: "People",
    location: "Lisbon",
    locale: "pt",
    lead: ["Alex Moreira", "Head of People"],
    people: [
      ["Beatriz Nunes", "Learning Designer", creator],
      ["Hugo Almeida", "Trainer", trainer],
      ["Inês Carvalho", "Recruiter", learner],
      ["Tiago Rocha", "Payroll Specialist", learner],
    ],
  },
  {
    department: "Sales",
    location: "Munich",
    locale: "de",
    lead: ["Johanna Kessler", "Sales Director"],
    people: [
      ["Lukas Brandt", "Account Executive", learner],
      ["Mia Hoffmann", "Account Executive", learner],
      ["Jonas Weber", "Account Executive", learner],
      ["Sophie Krüger", "Sales Engineer", learner],
      ["Emil Fuchs", "Sales Development", learner],
      ["Clara Vogel", "Sales Development", learner],
      ["Paul Richter", "Partner Manager", learner],
    ],
  },
  {
    department: "Customer Support",
    location: "Dublin",
    locale: "en",
    lead: ["Niamh O'Connor", "Support Manager"],
    people: [
      ["Aoife Byrne", "Support Specialist", learner],
      ["Cian Murphy", "Support Specialist", learner],
      ["Grace Adeyemi", "Support Specialist", learner],
      ["Liam Walsh", "Support Engineer", learner],
      ["Priya Raman", "Support Engineer", learner],
      ["Rory Doyle", "Support Specialist", learner],
      ["Saoirse Kelly", "Knowledge Editor", creator],
      ["Tomasz Nowak", "Support Specialist", learner],
    ],
  },
  {
    department: "Engineering",
    location: "Stockholm",
    locale: "sv",
    lead: ["Elin Lindqvist", "VP Engineering"],
    people: [
      ["Anders Holm", "Software Engineer", learner],
      ["Fatima Haddad", "Software Engineer", learner],
      ["Gustav Nyberg", "Site Reliability Engineer", learner],
      ["Hanna Sandström", "Product Designer", learner],
      ["Kenji Watanabe", "Software Engineer", learner],
      ["Lea Moser", "Security Engineer", creator],
      ["Oskar Berg", "Software Engineer", learner],
      ["Ravi Subramanian", "Data Engineer", learner],
      ["Tuva Eklund", "Engineering Manager", manager],
    ],
  },
  {
    department: "Operations",
    location: "Rotterdam",
    locale: "nl",
    lead: ["Daan Visser", "Operations Manager"],
    people: [
      ["Eva de Jong", "Logistics Planner", learner],
      ["Femke Bakker", "Warehouse Lead", learner],
      ["Joris Smit", "Warehouse Associate", learner],
      ["Lotte Mulder", "Facilities", learner],
      ["Milan Dekker", "Warehouse Associate", learner],
      ["Sanne Peters", "Buyer", learner],
      ["Yusuf Kaya", "Warehouse Associate", learner],
    ],
  },
];

export interface DemoUser {
  readonly id: number;
  readonly ext_uid: string;
  readonly department: string;
  readonly isLead: boolean;
}

/** The forty, the administrator first. `daysAgo` gives the time so many days before the demo was made. */
export function makeDemoUsers(adminEmail: string, daysAgo: (days: number) => string) {
  let id = 0;
  return teams.flatMap(({ department, location, locale, lead, people }, team) =>
    [[...lead, manager] as const, ...people].map(([name, job_title, role], place) => {
      id += 1;
      const hiredDaysAgo = 60 + ((id * 173) % 1_900);
      const left = id === LEAVER;
      return {
        id,
        name,
        email: id === 1 ? adminEmail : `${toMailName(name)}@demo.example`,
        role_id: id === 1 ? admin : role,
        ext_uid: `E${1_000 + id}`,
        job_title,
        business_unit: team < 2 ? "Corporate" : "Product",
        department,
        location,
        locale,
        hire_date: daysAgo(hiredDaysAgo).slice(0, "2026-12-31".length),
        manager_name: place === 0 ? (id === 1 ? null : teams[0]?.lead[0]) : lead[0],
        archived_at: left ? daysAgo(12) : null,
        archived_by_user_id: left ? 1 : null,
        custom_user_field_data: [
          { id: 2 * id - 1, custom_user_field_id: 1, value: `CC-${4_100 + team * 10}` },
          { id: 2 * id, custom_user_field_id: 2, value: daysAgo(hiredDaysAgo).slice(0, "2026".length) },
        ],
        created_at: daysAgo(Math.min(hiredDaysAgo, 700)),
        library_uses:
          id % 4 === 0
            ? [{ assignable_type: "Lesson", assignable_id: 9, views: 1 + (id % 3), completions: 1 }]
            : [],
        isLead: place === 0,
      };
    }),
  );
}

/** Who has left the company: archived, with all that they have learned. */
const LEAVER = 31;

/** A group for each team but the first, one for all who are new, and one that is over. */
export function makeDemoGroups(users: readonly DemoUser[], daysAgo: (days: number) => string) {
  const toIds = (chosen: readonly DemoUser[]) => chosen.map(({ id }) => ({ id }));
  const ofTeams = teams.slice(1).map(({ department }, index) => ({
    id: index + 1,
    name: department,
    members: toIds(users.filter((user) => user.department === department && !user.isLead)),
    managers: toIds(users.filter((user) => user.department === department && user.isLead)),
    created_at: daysAgo(640),
  }));
  const starters = users.filter(({ id }) => id % 5 === 3);
  const interns = users.filter(({ id }) => id % 13 === 0);
  return [
    ...ofTeams,
    {
      id: 5,
      name: "New starters",
      members: toIds(starters),
      managers: [{ id: 1 }, { id: 3 }],
      created_at: daysAgo(400),
    },
    {
      id: 6,
      name: "Summer interns",
      members: toIds(interns),
      managers: [{ id: 1 }],
      created_at: daysAgo(390),
      archived_at: daysAgo(75),
      archived_by_user_id: 1,
    },
  ];
}

function toMailName(name: string): string {
  return name
    .normalize("NFKD")
    .replaceAll(/[^A-Za-z ]/g, "")
    .toLowerCase()
    .replaceAll(" ", ".");
}
