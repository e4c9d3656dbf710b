/** JSON that somebody else wrote. A host's parser quotes what it reads in its error, so that error goes no further. */
import { isRecord } from '../guards.ts'

/** The object that a text holds; `undefined` where it is no JSON, or something else than an object. */
export function parseJsonObject(text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '')
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}
