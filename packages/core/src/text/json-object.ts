/**
 * A parser for JSON from other systems. The error of the host's parser is not used, because it quotes the
 * input.
 */
import { isRecord } from '../guards.ts'

/** Parses a JSON object. Returns `undefined` if the text is not JSON, or if its value is not an object. */
export function parseJsonObject(text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '')
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}
