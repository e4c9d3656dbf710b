/** Names in the generated code: none is the same as another one, or a reserved word. */
import type { DescMessage } from '@bufbuild/protobuf'
import { safeIdentifier } from '@bufbuild/protoplugin'

/** Types that the generated code uses. */
const TAKEN_TYPES = new Set(
  'Message UnknownField BufferDecoder RangeReader KnownTexts Buffer Uint8Array'.split(' '),
)

/** `a.b.Outer.Inner` in package `a.b`: `Outer_Inner`. */
export function typeName(message: DescMessage): string {
  const { package: name } = message.file.proto
  const own = name === '' ? message.typeName : message.typeName.slice(name.length + 1)
  const type = own.replaceAll('.', '_')
  return TAKEN_TYPES.has(type) ? `${type}$` : safeIdentifier(type)
}

/** The function that reads the message. */
export function functionName(message: DescMessage): string {
  return `read${typeName(message)}`
}

/** Names of variables and imports in the generated functions, and those that a variable of a module cannot have. */
const TAKEN = new Set(
  (
    'reader bytes start end texts make depth tag limit message unknown decoders MAX_DEPTH tooDeep withUnknown ' +
    'RangeReader undefined arguments eval'
  ).split(' '),
)

/** The variable that holds a property until the message is made. */
export function variableName(property: string): string {
  return TAKEN.has(property) || /^(?:read|fieldsOf)[A-Z]/.test(property)
    ? `${property}$`
    : safeIdentifier(property)
}
