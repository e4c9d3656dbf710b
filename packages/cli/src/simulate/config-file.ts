/** The configuration file of `simulate`: read with its places, so that what is wrong is named by line and column. */
import { isRecord } from '@brokerwire/core/internal'
import { isSimulatorError } from '@brokerwire/simulator'
import { findNodeAtLocation, type Node, type ParseError, parseTree } from 'jsonc-parser'
import { CliError } from '../cli-error.ts'
import { parseErrorText, STRICT_JSON } from '../decode/json-problem.ts'
import { MAX_FILE_BYTES, readBytes, readSecret } from '../input.ts'
import { suggestion } from '../suggestion.ts'
import { CONFIG_NAMES } from './schema.ts'

/** Where nothing is near. */
const ALL_NAMES = ' (all names stand in schemas/simulate.schema.json of this package)'

/** A file as it was read. */
export interface ConfigFile {
  readonly values: Readonly<Record<string, unknown>>
  /** The error of the library with the place in the file, where it is about one of its options. */
  located(error: unknown): unknown
}

/** @throws CliError `CLI_CONFIG_INVALID`, `CLI_INPUT_UNREADABLE`, `CLI_SECRET_EXPOSED` */
export async function readConfigFile(file: string): Promise<ConfigFile> {
  const text = new TextDecoder().decode(await readBytes(file))
  const invalid = (offset: number, expected: string): CliError<'CLI_CONFIG_INVALID'> => {
    const before = text.slice(0, offset).split('\n')
    const place = `${file}:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`
    return new CliError('CLI_CONFIG_INVALID', `${place}: ${expected}`, { details: { file, expected } })
  }
  const errors: ParseError[] = []
  const root = parseTree(text, errors, STRICT_JSON)
  const [first] = errors
  if (first !== undefined) throw invalid(first.offset, `expected JSON: ${parseErrorText(first)}`)
  const values: unknown = root && JSON.parse(text)
  if (root?.type !== 'object' || !isRecord(values)) throw invalid(root?.offset ?? 0, 'expected an object')
  for (const { offset, children = [] } of root.children ?? []) {
    const name = String(children[0]?.value)
    if (name !== '$schema' && !CONFIG_NAMES.includes(name))
      throw invalid(offset, `no option with this name: ${name}${suggestion(name, CONFIG_NAMES) || ALL_NAMES}`)
  }
  // Read once more, by the rule for secrets: others may not read such a file.
  const apps: readonly unknown[] = Array.isArray(values.apps) ? values.apps : []
  const hasSecret = [values, ...apps].some((app) => isRecord(app) && app.appSecret !== undefined)
  if (hasSecret || values.tls !== undefined) await readSecret(file, MAX_FILE_BYTES)
  const { $schema: _, ...options } = values
  return {
    values: options,
    located(error) {
      if (!isSimulatorError(error, 'SIMULATOR_OPTION_INVALID')) return error
      const node = nodeOf(root, error.details.option)
      return node === undefined ? error : invalid(node.offset, error.message)
    },
  }
}

/** The value of an option such as `rateLimit.requests`, or of the longest part of its path that is there. */
function nodeOf(root: Node, option: string): Node | undefined {
  const path = option.split(/[.[\]]+/).filter((part) => part !== '')
  for (let length = path.length; length > 0; length -= 1) {
    const steps = path.slice(0, length).map((part) => (/^\d+$/.test(part) ? Number(part) : part))
    const node = findNodeAtLocation(root, steps)
    if (node !== undefined) return node
  }
  return undefined
}
