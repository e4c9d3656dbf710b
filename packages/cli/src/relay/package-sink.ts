/** A sink of another package: `sink.type` is `package`. The package exports `createSink`. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { escapeControlChars } from '@brokerwire/core'
import {
  type EventSink,
  type RelaySinkConfig,
  type SinkState,
  type StreamAddress,
  sinkMisconfigured,
} from '@brokerwire/relay'

type PackageConfig = Extract<RelaySinkConfig, { readonly type: 'package' }>

/** The argument of `createSink`. */
interface SinkContext {
  readonly address: StreamAddress
  /** `sink.options` of the configuration. */
  readonly options: Readonly<Record<string, unknown>>
  readonly onState: (state: SinkState) => void
}

/**
 * Loads a package, first from the working directory and then from the installation of this command.
 *
 * @returns Creates the sink of an app.
 * @throws RelayError `RELAY_SINK_MISCONFIGURED` if the package is missing, fails to load or has no `createSink`.
 */
export async function loadSinkPackage({
  package: name,
  options,
}: PackageConfig): Promise<(context: Omit<SinkContext, 'options'>) => EventSink> {
  const module = await importPackage(name)
  const { createSink } = module
  if (typeof createSink !== 'function')
    throw misconfigured(name, 'a package that exports createSink', 'no such function')
  return (context) => {
    const sink: unknown = createSink({ ...context, options })
    if (!isSink(sink)) throw misconfigured(name, 'createSink to return a sink', 'another value')
    return sink
  }
}

async function importPackage(name: string): Promise<Readonly<Record<string, unknown>>> {
  let target = name
  try {
    target = pathToFileURL(createRequire(join(process.cwd(), 'index.js')).resolve(name)).href
  } catch {
    // The package may be next to this command, or accept imports only.
  }
  try {
    return (await import(target)) as Readonly<Record<string, unknown>>
  } catch (error) {
    const isMissing =
      error instanceof Error && /^ERR_MODULE_NOT_FOUND|^ERR_UNSUPPORTED_DIR/.test(codeOf(error))
    const reason = escapeControlChars(error instanceof Error ? error.message : String(error), 200)
    throw isMissing
      ? misconfigured(name, 'an installed package', 'none', `npm install ${name}`, error)
      : misconfigured(name, 'a package that can be loaded', reason, undefined, error)
  }
}

const codeOf = (error: Error): string => ('code' in error ? String(error.code) : '')

function isSink(value: unknown): value is EventSink {
  if (typeof value !== 'object' || value === null) return false
  const { tail, publish, close } = value as Partial<EventSink>
  return [tail, publish, close].every((member) => typeof member === 'function')
}

function misconfigured(name: string, expected: string, received: string, command?: string, cause?: unknown) {
  const text = `sink.package must be ${expected}; received ${received} for ${name}`
  return sinkMisconfigured(name, text, { setting: 'sink.package', expected, received, command }, cause)
}
