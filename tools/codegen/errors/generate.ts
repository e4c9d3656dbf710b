/** docs/reference/errors.md, and the same table for `brokerwire help`, from the comments of the error codes. */
import type { ErrorRow } from '../../../packages/cli/src/help/error-row.ts'
import { formatted } from '../../ci/lib/formatted.ts'
import type { Generated } from '../files.ts'
import { errorRows } from './rows.ts'

const PAGE = 'docs/reference/errors.md'
const TABLE = 'packages/cli/src/help/error-rows.ts'

const START = `<!-- Written by pnpm generate errors. Do not edit. -->

# Errors

Each error of these packages has a \`code\` that stays the same across versions. Compare the code, never the message. \`error.help\` is the
address of its entry on this page, and \`brokerwire help CODE\` prints the entry.

"Retry" states whether the same call may succeed later without a change; \`error.retryable\` has the answer for one error. \`details\`
contains no secret. The messages are examples.`

/** Text in a code span. A message may contain backticks. */
const code = (text: string): string => (text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``)

function section({ code: name, meaning, retryable, remedy, message }: ErrorRow): string {
  return `### ${name}

${meaning}

- **Retry:** ${retryable}
- **What to do:** ${remedy}
- **Message:** ${code(message)}`
}

function page(rows: readonly ErrorRow[]): string {
  const packages = [...new Set(rows.map((row) => row.package))]
  const sections = packages.flatMap((name) => [
    `## ${name}`,
    ...rows.filter((row) => row.package === name).map(section),
  ])
  return `${[START, ...sections].join('\n\n')}\n`
}

function table(rows: readonly ErrorRow[]): string {
  return `/** Written by pnpm generate errors. Do not edit. */
import type { ErrorRow } from './error-row.ts'

export const ERROR_ROWS: readonly ErrorRow[] = ${JSON.stringify(rows)}
`
}

export function generate(): Generated {
  const rows = errorRows()
  return {
    files: new Map([
      [PAGE, page(rows)],
      [TABLE, formatted(TABLE, table(rows))],
    ]),
  }
}
