/** A parser for JSON from other systems. The host's parser quotes the input in its error, so that error is not passed on. */
import { isRecord } from '../guards.ts'

/** Parses a JSON object; `undefined` if the text is not JSON, or not an object. */
export function parseJsonObject(text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '')
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}
