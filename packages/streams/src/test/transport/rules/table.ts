/** The table of rules: all groups, and the same as a page to read. */
import { casesPage } from '../cases/table.ts'
import { cancellationRules } from './cancellation.ts'
import { connectionRules } from './connections.ts'
import { endingRules } from './endings.ts'
import { framingRules } from './framing.ts'
import { interceptorRules } from './interceptors.ts'
import { refusalRules } from './refusals.ts'
import { requestRules } from './requests.ts'
import { resetRules } from './resets.ts'
import { responseRules } from './responses.ts'
import type { Rule } from './rule.ts'
import { statusRules } from './statuses.ts'

/** A part of the table. */
export interface RuleGroup {
  readonly name: string
  readonly rules: readonly Rule[]
}

/** All rules. */
export const RULES: readonly RuleGroup[] = [
  { name: 'Requests', rules: requestRules },
  { name: 'Responses', rules: responseRules },
  { name: 'Statuses', rules: statusRules },
  { name: 'How a response ends', rules: endingRules },
  { name: 'Framing and compression', rules: framingRules },
  { name: 'Resets', rules: resetRules },
  { name: 'Connections', rules: connectionRules },
  { name: 'Refused before it was processed', rules: refusalRules },
  { name: 'Deadlines and cancellation', rules: cancellationRules },
  { name: 'Interceptors', rules: interceptorRules },
]

const HEAD = `# Rules of the transport

What \`createStreamTransport\` does, row by row, and where \`createGrpcTransport\` of @connectrpc/connect-node 2 does
something else. Every row is a test that runs over both transports; this page is written by those tests, so it is never
older than they are. Documents named without more are those of gRPC (\`PROTOCOL-HTTP2.md\`, \`statuscodes.md\`,
\`http-grpc-status-mapping.md\`, \`compression.md\`).
`

/** Observations as they stand in the tests, short enough for a table. */
function observed(value: unknown): string {
  const text = JSON.stringify(value, (_, part: unknown) => (part === undefined ? 'none' : part))
    .replaceAll('"', "'")
    .replaceAll('|', '\\|')
  return text.length <= 150 ? `\`${text}\`` : 'see the test'
}

function difference({ connectNode }: Rule): string {
  if (connectNode === undefined) return 'the same'
  if ('notRun' in connectNode) return connectNode.because
  return `${observed(connectNode.expected)}. ${connectNode.because}`
}

/** The page, in Markdown. */
export function rulesPage(): string {
  const parts = RULES.map(({ name, rules }) => {
    const rows = rules.map(
      (rule) => `| ${rule.id} | ${rule.source} | ${observed(rule.expected)} | ${difference(rule)} |`,
    )
    return `## ${name}\n\n| Rule | Source | Ours | connect-node |\n| --- | --- | --- | --- |\n${rows.join('\n')}\n`
  })
  return [HEAD, ...parts, casesPage()].join('\n')
}
