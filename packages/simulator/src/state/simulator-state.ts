/**
 * State of a simulator that survives restarts. It is restored at the start. Later, each change is written
 * with `write` before the response is sent, and `write` returns when the line is in the file.
 */
import type { NonceRecord, NonceStore } from '@brokerwire/signer'
import { invalidState, openStateFile, type StateFile } from './state-file.ts'
import { STATE_VERSION, type StateRecord } from './state-record.ts'

/** The restored state, and the functions that write changes to the file. */
export interface SimulatorState {
  /** App keys and secrets of the stored apps, by name. */
  readonly apps: ReadonlyMap<string, { readonly appKey: string; readonly appSecret: string }>
  readonly clockOffsetMs: number
  /** Address and token of the last console. */
  readonly console: ConsoleAddress | undefined
  getRecords(app: string): readonly StateRecord[]
  /** @throws SimulatorError `SIMULATOR_STATE_FAILED` */
  write(record: StateRecord): void
  /**
   * Restores the used nonces of the file into a nonce store, and wraps the store so that it also writes used
   * nonces to the file.
   *
   * @param nameOf - Returns an app's name by its key.
   */
  journalNonces(memory: NonceStore, nameOf: (appKey: string) => string, nowMs: number): NonceStore
  /**
   * Must be called after everything is restored. It compacts the file; later the file is compacted when it
   * has grown.
   */
  begin(seed: number, live: () => Iterable<StateRecord>): void
  close(): void
}

/** Address and token of a console. */
export interface ConsoleAddress {
  readonly token: string
  readonly port: number
}

/** The state of a simulator without a state file. Nothing is restored or stored. */
const NO_STATE: SimulatorState = {
  apps: new Map(),
  clockOffsetMs: 0,
  console: undefined,
  getRecords: () => [],
  write: () => undefined,
  journalNonces: (memory) => memory,
  begin: () => undefined,
  close: () => undefined,
}

/** @throws SimulatorError `SIMULATOR_STATE_FAILED`, `SIMULATOR_STATE_INVALID` */
export function openState(path: string | undefined): SimulatorState {
  if (path === undefined) return NO_STATE
  const file = openStateFile(path)
  const apps = new Map<string, { readonly appKey: string; readonly appSecret: string }>()
  const byApp = new Map<string, StateRecord[]>()
  let clockOffsetMs = 0
  let console: ConsoleAddress | undefined
  for (const [index, record] of file.records.entries()) {
    const wrong = checkOrder(record, index, apps)
    if (wrong !== undefined) {
      file.close()
      throw invalidState(path, index + 1, wrong)
    }
    if (record.kind === 'app') apps.set(record.app, record)
    if (record.kind === 'console') console = { token: record.token, port: record.port }
    if (record.kind === 'clock') clockOffsetMs = record.offsetMs
    if (!('app' in record)) continue
    const records = byApp.get(record.app)
    if (records === undefined) byApp.set(record.app, [record])
    else records.push(record)
  }
  const nonces = new Map<string, Extract<StateRecord, { readonly kind: 'nonce' }>>()
  let offsetMs = clockOffsetMs
  let clockNow: () => number = () => 0
  return {
    apps,
    clockOffsetMs,
    console,
    getRecords: (app) => byApp.get(app) ?? [],
    write(record) {
      if (record.kind === 'clock') offsetMs = record.offsetMs
      if (record.kind === 'console') console = { token: record.token, port: record.port }
      file.append(record)
    },
    journalNonces(memory, nameOf, nowMs) {
      let latestMs = nowMs
      clockNow = () => latestMs
      for (const record of file.records) {
        const appKey = record.kind === 'nonce' ? apps.get(record.app)?.appKey : undefined
        if (record.kind !== 'nonce' || appKey === undefined || record.expiresAtMs <= nowMs) continue
        const { nonce, expiresAtMs } = record
        void memory.remember({ key: `${appKey} ${nonce}`, appKey, nonce, expiresAtMs, nowMs })
        nonces.set(`${record.app} ${nonce}`, record)
      }
      return {
        async remember(used: NonceRecord) {
          latestMs = Math.max(latestMs, used.nowMs)
          const verdict = await memory.remember(used)
          if (verdict !== 'new') return verdict
          const { nonce, expiresAtMs } = used
          const record = { kind: 'nonce', app: nameOf(used.appKey), nonce, expiresAtMs } as const
          nonces.set(`${record.app} ${nonce}`, record)
          file.append(record)
          return verdict
        },
      }
    },
    begin(seed, live) {
      requireSameSeed(path, file, seed)
      file.compactFrom(function* () {
        yield { kind: 'simulator', version: STATE_VERSION, seed }
        yield { kind: 'clock', offsetMs }
        if (console !== undefined) yield { kind: 'console', ...console }
        yield* live()
        for (const [key, nonce] of nonces) {
          if (nonce.expiresAtMs > clockNow()) yield nonce
          else nonces.delete(key)
        }
      })
    },
    close: file.close,
  }
}

/**
 * Checks the order of records. The clock is in the second line, and the record of an app precedes the app's
 * other records. If that is not so, lines are missing.
 *
 * @returns A description of the error.
 */
function checkOrder(
  record: StateRecord,
  index: number,
  apps: ReadonlyMap<string, unknown>,
): string | undefined {
  if (index === 1 && record.kind !== 'clock') return "kind must be 'clock' in the second line"
  if ('app' in record && record.kind !== 'app' && !apps.has(record.app))
    return 'app must be named in an earlier line'
  return undefined
}

function requireSameSeed(path: string, file: StateFile, seed: number): void {
  const [first] = file.records
  if (first?.kind !== 'simulator') return
  if (first.version !== STATE_VERSION) {
    throw invalidState(path, 1, `version must be ${STATE_VERSION}; received ${first.version}`)
  }
  if (first.seed !== seed) {
    throw invalidState(path, 1, `seed must be ${first.seed}, as when the file was created; received ${seed}`)
  }
}
