/** All cases, and the same as a part of the page of rules. */
import { answerCases } from './answers.ts'
import { cancellationCases } from './cancellations.ts'
import type { Case, CaseGroup } from './case.ts'
import { deadlineCases } from './deadlines.ts'

export const CASES: readonly CaseGroup[] = [answerCases, cancellationCases, deadlineCases]

function row({ id, expected, connectNode }: Case, letters: ReadonlyMap<string, string>): string {
  const theirs =
    connectNode === undefined
      ? 'the same'
      : `\`${connectNode.expected}\` (${letters.get(connectNode.because)})`
  return `| ${id} | \`${expected}\` | ${theirs} |`
}

/** Counts, reasons and every case, in Markdown. */
export function casesPage(): string {
  const all = CASES.flatMap(({ cases }) => cases)
  const differing = all.flatMap(({ connectNode }) => connectNode ?? [])
  const reasons = [...new Set(differing.map(({ because }) => because))]
  const letters = new Map(reasons.map((because, index) => [because, String.fromCharCode(65 + index)]))
  const count = (because: string) => differing.filter((difference) => difference.because === because).length
  const groups = CASES.map(
    ({ name, text, cases }) =>
      `### ${name}\n\n${text}\n\n| Case | Ours | connect-node |\n| --- | --- | --- |\n${cases.map((one) => row(one, letters)).join('\n')}\n`,
  )
  return [
    `## Cases

Calls over every combination of the values in their ids, on one server for both transports. As expected: ours in ${all.length} of
${all.length}, connect-node in ${all.length - differing.length} of ${all.length}. None that connect-node passes fails here. Where it differs:

| | Reason | Cases |
| --- | --- | --- |
${reasons.map((because) => `| ${letters.get(because)} | ${because} | ${count(because)} |`).join('\n')}
`,
    ...groups,
  ].join('\n')
}
