/** A line of the table. */
export interface Row {
  readonly name: string;
  /** What it is compared with, and how fast that is. */
  readonly base: string;
  readonly measured: string;
  readonly ratio: string;
  readonly spread: string;
  /** Empty where there is none. */
  readonly bar: string;
  readonly isMet: boolean;
}

/** Prints the rows in columns, and how many bars are not met. */
export function printTable(rows: readonly Row[]): void {
  const lines = [
    ["scenario", "base", "measured", "ratio", "spread", "bar", ""],
    ...rows.map(({ name, base, measured, ratio, spread, bar, isMet }) => {
      return [name, base, measured, ratio, spread, bar, bar === "" ? "" : isMet ? "met" : "NOT MET"];
    }),
  ];
  const widths =
    lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? [];
  console.log("");
  for (const line of lines) {
    console.log(
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    );
  }
  const missed = rows.filter(({ isMet }) => !isMet).length;
  console.log(`\n${missed} of ${rows.length} bars are not met.`);
}
