/** All rules of the transport, and the page TRANSPORT-RULES.md. */
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

/** A group of rules. */
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

This page lists the rules of \`createStreamTransport\`, and the results of \`createGrpcTransport\` of @connectrpc/connect-node 2 that
differ. "Ours" is \`createStreamTransport\`, "it" is connect-node. Every row is a test that runs over both transports, and the tests
write this page.

The sources \`PROTOCOL-HTTP2.md\`, \`statuscodes.md\`, \`http-grpc-status-mapping.md\` and \`compression.md\` are documents of gRPC. An
outcome lists the messages of a call and its end, which is \`ok\` or the code of the error. A \`resetCode\` is the HTTP/2 error code
that the server received; 8 is CANCEL.
`

/** Formats a result for the table, unless it is too long. */
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

/** Returns the page in Markdown. */
export function rulesPage(): string {
  const parts = RULES.map(({ name, rules }) => {
    const rows = rules.map(
      (rule) => `| ${rule.id} | ${rule.source} | ${observed(rule.expected)} | ${difference(rule)} |`,
    )
    return `## ${name}\n\n| Rule | Source | Ours | connect-node |\n| --- | --- | --- | --- |\n${rows.join('\n')}\n`
  })
  return [HEAD, ...parts, casesPage()].join('\n')
}
