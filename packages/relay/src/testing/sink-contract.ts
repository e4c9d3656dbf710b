/**
 * The contract of a sink as named test cases, for any test runner.
 *
 * The cases about several writers, a cut stream, a restarted server and an oversized message need functions of
 * the fixture. A sink that cannot have such a case states so in the options, so no case is left out by mistake.
 */
import { boolean, type FieldsOf, func, readOptions } from '@brokerwire/core/internal'
import { optionFailure } from '../relay-error.ts'
import { BASIC_CASES } from './basic-cases.ts'
import type { SinkFixture } from './fixture.ts'
import { RESTART_CASES, SIZE_CASES } from './server-cases.ts'
import { FENCING_AND_TRUNCATION_CASES, FENCING_CASES, TRUNCATION_CASES } from './writer-cases.ts'

/** Options of {@link sinkContract}. */
export interface SinkContractOptions {
  /** Creates an empty stream. Called once for each case. */
  readonly open: () => Promise<SinkFixture>
  /** Whether several writers may be open, of which the last one is accepted. @defaultValue true */
  readonly fencing?: boolean | undefined
  /** Whether the fixture has `truncate`. @defaultValue true */
  readonly truncation?: boolean | undefined
  /** Whether the fixture has `restart`. @defaultValue true */
  readonly restart?: boolean | undefined
  /** Whether the sink has `checkSize`, and the fixture `oversizedBytes`. @defaultValue true */
  readonly sizeLimit?: boolean | undefined
}

/** A test case of the contract. */
export interface SinkContractCase {
  /** Name of the case, for the test runner. */
  readonly name: string
  /** Runs the case; rejects if the sink breaks the contract. */
  readonly run: () => Promise<void>
}

const OPTIONS = {
  open: func<SinkContractOptions['open']>(),
  fencing: boolean(true),
  truncation: boolean(true),
  restart: boolean(true),
  sizeLimit: boolean(true),
} satisfies FieldsOf<SinkContractOptions>

/**
 * Returns the test cases of the contract.
 *
 * @throws RelayError `RELAY_OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import { createMemoryStream } from '@brokerwire/relay'
 * import { sinkContract } from '@brokerwire/relay/testing'
 *
 * declare function test(name: string, run: () => Promise<void>): void
 *
 * const open = async () => {
 *   const stream = createMemoryStream('brokerwire_sandbox_us_desk-a')
 *   return { openSink: stream.open, truncate: async (sequence: number) => stream.truncate(sequence) }
 * }
 * for (const { name, run } of sinkContract({ open, restart: false, sizeLimit: false })) test(name, run)
 * ```
 */
export function sinkContract(given: SinkContractOptions): readonly SinkContractCase[] {
  const { open, fencing, truncation, restart, sizeLimit } = readOptions(optionFailure, given, OPTIONS)
  const cases = {
    ...BASIC_CASES,
    ...(fencing ? FENCING_CASES : {}),
    ...(truncation ? TRUNCATION_CASES : {}),
    ...(fencing && truncation ? FENCING_AND_TRUNCATION_CASES : {}),
    ...(restart ? RESTART_CASES : {}),
    ...(sizeLimit ? SIZE_CASES : {}),
  }
  return Object.entries(cases).map(([name, body]) => ({
    name,
    run: async () => {
      const fixture = await open()
      try {
        await body(fixture)
      } finally {
        await fixture.close?.()
      }
    },
  }))
}
