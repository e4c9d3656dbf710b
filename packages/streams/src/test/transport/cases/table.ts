/** All cases, and their section in TRANSPORT-RULES.md. */

import { cancellationCases } from './cancellations.ts'
import type { Case, CaseGroup } from './case.ts'
import { deadlineCases } from './deadlines.ts'
import { responseCases } from './responses.ts'

export const CASES: readonly CaseGroup[] = [responseCases, cancellationCases, deadlineCases]

function row({ id, expected, connectNode }: Case, letters: ReadonlyMap<string, string>): string {
  const theirs =
    connectNode === undefined
      ? 'the same'
      : `\`${connectNode.expected}\` (${letters.get(connectNode.because)})`
  return `| ${id} | \`${expected}\` | ${theirs} |`
}

/** Returns the numbers, the reasons and every case, in Markdown. */
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

Calls with every combination of the values in their ids, to one server for both transports. Ours has the expected result in all
${all.length} cases, connect-node in ${all.length - differing.length}. These are the reasons of its other results:

| | Reason | Cases |
| --- | --- | --- |
${reasons.map((because) => `| ${letters.get(because)} | ${because} | ${count(because)} |`).join('\n')}
`,
    ...groups,
  ].join('\n')
}
