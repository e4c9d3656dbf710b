/**
 * `pnpm generate [NAME...]` writes the generated files of the repository: all, or those of the generators named.
 * With `--check` it writes nothing, and ends with status 1 if a file is stale.
 *
 * - `protos`: the messages in packages/protos, for protobuf-es and protobufjs, and the decoders in packages/streams and packages/quotes, from its `.proto` files
 * - `payloads`: PAYLOADS.md and the fast paths of packages/payloads, from the definitions of its decoders
 * - `operations`: OPERATIONS.md and openapi.json of packages/operations, from its table
 * - `asyncapi`: asyncapi.json of packages/protos, from the `.proto` files, the payload decoders, and the tables of endpoints
 * - `metrics`: docs/reference/metrics.md, from the tables of metrics and log lines in packages/cli and packages/otel
 * - `cli`: COMMANDS.md, manual pages and configuration schemas, and the table of fields in docs/reference/relay-configuration.md
 * - `errors`: docs/reference/errors.md and the table of `brokerwire help`, from the comments of the error codes
 * - `notices`: docs/reference/notices.md, from the comments of the types of notices
 * - `options`: docs/reference/options, from the comments of the exported options
 * - `diagrams`: the diagrams in docs/concepts and docs/reference/token-states.md, from the transition tables of packages/tokens
 *
 * The vectors of packages/signer are not in this list: `vectors/make_signer_vectors.py` is a second implementation of
 * the signature in Python. Run it by hand after you add a case.
 */
import { parseArgs } from 'node:util'
import { report } from '../ci/lib/report.ts'
import { ROOT } from '../ci/lib/workspace.ts'
import { type Generated, staleFiles, writeStaleFiles } from './files.ts'

/**
 * The generators by name. A generator is loaded only when it runs, because `payloads` needs the TypeScript
 * compiler, and `protos` needs buf.
 */
const GENERATORS = new Map<string, () => Promise<{ generate(): Generated | Promise<Generated> }>>([
  ['protos', () => import('./protos/generate.ts')],
  ['payloads', () => import('./payloads/generate.ts')],
  ['operations', () => import('./operations/generate.ts')],
  ['asyncapi', () => import('./asyncapi/generate.ts')],
  ['metrics', () => import('./metrics/generate.ts')],
  ['cli', () => import('./cli/generate.ts')],
  ['errors', () => import('./errors/generate.ts')],
  ['notices', () => import('./notices/generate.ts')],
  ['options', () => import('./options/generate.ts')],
  ['diagrams', () => import('./diagrams/generate.ts')],
])

const { values, positionals } = parseArgs({ options: { check: { type: 'boolean' } }, allowPositionals: true })
const isCheck = values.check === true
const names = positionals.length === 0 ? [...GENERATORS.keys()] : positionals
const problems: string[] = []
let count = 0
for (const name of names) {
  const load = GENERATORS.get(name)
  if (load === undefined) {
    problems.push(`NAME must be one of ${[...GENERATORS.keys()].join(', ')}; received "${name}"`)
    continue
  }
  const generated = await (await load()).generate()
  count += generated.files.size
  if (isCheck) {
    for (const path of staleFiles(ROOT, generated))
      problems.push(`${path} is stale: run pnpm generate ${name}`)
  } else for (const path of writeStaleFiles(ROOT, generated)) console.log(`${path} updated`)
}
report('generated files', problems, `${count} files ${isCheck ? 'unchanged' : 'up to date'}`)
