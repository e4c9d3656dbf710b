/**
 * Log of a relay: one JSON object per line, without secrets. The fields `level`, `time`, `msg` and `err` are those
 * of pino with `formatters.level` and `stdTimeFunctions.isoTime`, so that tools for its lines read these lines too.
 */
import { createRedactor, escapeControlChars, isBrokerwireError } from '@brokerwire/core'
import { escapeJsonControlChars, isRecord } from '@brokerwire/core/internal'
import { getReason } from '../format-error.ts'
import { MIN_SECRET_LENGTH } from '../settings/min-secret-length.ts'
import { nameConfigFile } from './config-file-name.ts'
import { LOG_EVENTS, type LogEventName } from './log-events.ts'

/** Writes log lines. */
export interface RelayLog {
  write(event: LogEventName, fields?: Readonly<Record<string, unknown>>): void
  /** Removes this string from all later lines, unless it is too short for a secret. */
  keepSecret(secret: string): void
}

const MAX_CHARACTERS = 1000

/**
 * @param nowMs - Returns the time of a line.
 * @param configFile - The configuration file, which replaces `FILE` in the commands of errors.
 */
export function createRelayLog(
  out: (line: string) => void,
  nowMs: () => number,
  configFile?: string,
): RelayLog {
  const secrets: string[] = []
  let redact = createRedactor(secrets)
  /** Redacts each string separately, so that the line stays valid JSON. */
  const clean = (_: string, value: unknown): unknown =>
    typeof value === 'string' ? redact(nameConfigFile(value, configFile), MAX_CHARACTERS) : value
  return {
    write(event, fields = {}) {
      const { level, msg } = LOG_EVENTS[event]
      const line = { level, time: new Date(nowMs()).toISOString(), event, msg, ...fields }
      out(escapeJsonControlChars(JSON.stringify(line, clean)))
    },
    keepSecret(secret) {
      if (secret.length < MIN_SECRET_LENGTH || secrets.includes(secret)) return
      secrets.push(secret)
      redact = createRedactor(secrets)
    },
  }
}

/**
 * Returns the fields of an error: its class, code, message, and the line of a command or of the configuration that fixes
 * it.
 */
export function errorFields(error: unknown): Readonly<Record<string, unknown>> {
  if (!isBrokerwireError(error)) {
    const message = error instanceof Error ? `${error.name}: ${error.message}` : typeof error
    return { err: { type: 'Error', message: escapeControlChars(message, MAX_CHARACTERS) } }
  }
  const { name: type, code, message, retryable, details } = error
  const help = (field: string): string | undefined => {
    const text = isRecord(details) ? details[field] : undefined
    return typeof text === 'string' ? text : undefined
  }
  const reason = getReason(error)
  const text = reason === error ? message : `${message}: ${reason.message}`
  const remedy = { command: help('command'), configuration: help('configuration') }
  return { err: { type, code, message: escapeControlChars(text, MAX_CHARACTERS), retryable, ...remedy } }
}
