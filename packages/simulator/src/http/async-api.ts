/** The AsyncAPI document of `@brokerwire/protos`. It is read at the first request. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

let text: string | undefined

/** Returns the document as JSON text. */
export function asyncApiText(): string {
  text ??= readFileSync(createRequire(import.meta.url).resolve('@brokerwire/protos/asyncapi.json'), 'utf8')
  return text
}
