/** Names in the generated code: none of them collides with another one or with a word of the language. */
import type { DescMessage } from '@bufbuild/protobuf'
import { safeIdentifier } from '@bufbuild/protoplugin'

/** `a.b.Outer.Inner` in package `a.b`: `Outer_Inner`. */
export function typeName(message: DescMessage): string {
  const { package: name } = message.file.proto
  return (name === '' ? message.typeName : message.typeName.slice(name.length + 1)).replaceAll('.', '_')
}

/** The function that reads the message. */
export function functionName(message: DescMessage): string {
  return `read${typeName(message)}`
}

/** What the generated functions call their own values. */
const TAKEN = new Set([
  'reader',
  'end',
  'depth',
  'previous',
  'tag',
  'limit',
  'message',
  'unknown',
  'decoders',
  'MAX_DEPTH',
  'tooDeep',
  'RangeReader',
  'undefined',
  'Uint8Array',
])

/** The variable that holds a property until the message is made. */
export function variableName(property: string): string {
  return TAKEN.has(property) || /^read[A-Z]/.test(property) ? `${property}$` : safeIdentifier(property)
}
