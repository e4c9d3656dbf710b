/** Names in the generated code. They differ from each other and from reserved words. */
import type { DescMessage } from '@bufbuild/protobuf'
import { safeIdentifier } from '@bufbuild/protoplugin'

/** Types that the generated code uses. */
const TAKEN_TYPES = new Set(
  'Message UnknownField BufferDecoder RangeReader KnownStrings Buffer Uint8Array'.split(' '),
)

/** Returns the type of a message: `a.b.Outer.Inner` in package `a.b` gives `Outer_Inner`. */
export function typeName(message: DescMessage): string {
  const { package: name } = message.file.proto
  const own = name === '' ? message.typeName : message.typeName.slice(name.length + 1)
  const type = own.replaceAll('.', '_')
  return TAKEN_TYPES.has(type) ? `${type}$` : safeIdentifier(type)
}

/** Returns the name of the function that decodes a message. */
export function functionName(message: DescMessage): string {
  return `read${typeName(message)}`
}

/**
 * Names that a variable must not have: the variables and imports of the generated functions, and names that
 * are not allowed for variables of a module.
 */
const TAKEN = new Set(
  (
    'reader bytes start end texts make depth tag limit message unknown decoders MAX_DEPTH tooDeep withUnknown ' +
    'RangeReader undefined arguments eval'
  ).split(' '),
)

/** Returns the name of the variable that contains the value of a property until the message is created. */
export function variableName(property: string): string {
  return TAKEN.has(property) || /^(?:read|fieldsOf)[A-Z]/.test(property)
    ? `${property}$`
    : safeIdentifier(property)
}
