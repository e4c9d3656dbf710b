/** Log of a relay: one JSON object per line, without secrets. */
import { createRedactor, escapeControlChars, isBrokerwireError } from '@brokerwire/core'
import { escapeJsonControlChars, isRecord } from '@brokerwire/core/internal'
import { getReason } from '../format-error.ts'
import { MIN_SECRET_LENGTH } from '../settings/min-secret-length.ts'

/** Severity of a line. */
export type Level = 'info' | 'warn' | 'error'

/** Writes log lines. */
export interface RelayLog {
  write(level: Level, event: string, fields?: Readonly<Record<string, unknown>>): void
  /** Removes this string from all later lines, unless it is too short for a secret. */
  keepSecret(secret: string): void
}

const MAX_CHARACTERS = 1000

/** @param nowMs - Returns the time of a line. */
export function createRelayLog(out: (line: string) => void, nowMs: () => number): RelayLog {
  const secrets: string[] = []
  let redact = createRedactor(secrets)
  /** Redacts each string separately, so that the line stays valid JSON. */
  const clean = (_: string, value: unknown): unknown =>
    typeof value === 'string' ? redact(value, MAX_CHARACTERS) : value
  return {
    write(level, event, fields = {}) {
      const line = { time: new Date(nowMs()).toISOString(), level, event, ...fields }
      out(escapeJsonControlChars(JSON.stringify(line, clean)))
    },
    keepSecret(secret) {
      if (secret.length >= MIN_SECRET_LENGTH) secrets.push(secret)
      redact = createRedactor(secrets)
    },
  }
}

/**
 * Returns the fields of an error: code, message, and the line of a command or of the configuration that fixes
 * it.
 */
export function errorFields(error: unknown): Readonly<Record<string, unknown>> {
  if (!isBrokerwireError(error)) {
    const message = error instanceof Error ? `${error.name}: ${error.message}` : typeof error
    return { error: { message: escapeControlChars(message, MAX_CHARACTERS) } }
  }
  const { code, message, retryable, details } = error
  const help = (field: string): string | undefined => {
    const text = isRecord(details) ? details[field] : undefined
    return typeof text === 'string' ? text : undefined
  }
  const reason = getReason(error)
  const text = reason === error ? message : `${message}: ${reason.message}`
  const remedy = { command: help('command'), configuration: help('configuration') }
  return { error: { code, message: escapeControlChars(text, MAX_CHARACTERS), retryable, ...remedy } }
}
