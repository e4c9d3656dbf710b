/** What the generator takes of a schema. Whatever it does not take is refused by name, never decoded wrongly. */
import { type DescField, type DescMessage, type DescOneof, ScalarType } from '@bufbuild/protobuf'
import { Edition } from '@bufbuild/protobuf/wkt'

/** A method of the reader, and the TypeScript type and zero value of what it gives. */
export interface ScalarCode {
  readonly method: string
  readonly type: string
  readonly zero: string
}

const number = (method: string): ScalarCode => ({ method, type: 'number', zero: '0' })
const bigint = (method: string): ScalarCode => ({ method, type: 'bigint', zero: '0n' })

const SCALARS: Readonly<Record<ScalarType, ScalarCode>> = {
  [ScalarType.DOUBLE]: number('double'),
  [ScalarType.FLOAT]: number('float'),
  [ScalarType.INT64]: bigint('int64'),
  [ScalarType.UINT64]: bigint('uint64'),
  [ScalarType.INT32]: number('int32'),
  [ScalarType.FIXED64]: bigint('fixed64'),
  [ScalarType.FIXED32]: number('fixed32'),
  [ScalarType.BOOL]: { method: 'bool', type: 'boolean', zero: 'false' },
  [ScalarType.STRING]: { method: 'string', type: 'string', zero: "''" },
  [ScalarType.BYTES]: { method: 'bytes', type: 'Uint8Array', zero: 'new Uint8Array(0)' },
  [ScalarType.UINT32]: number('uint32'),
  [ScalarType.SFIXED32]: number('sfixed32'),
  [ScalarType.SFIXED64]: bigint('sfixed64'),
  [ScalarType.SINT32]: number('sint32'),
  [ScalarType.SINT64]: bigint('sint64'),
}

/** One value of a field: a scalar or an enum's number, or a message of the same file. */
export type ValueCode =
  | { readonly kind: 'scalar'; readonly scalar: ScalarCode; readonly packable: boolean }
  | { readonly kind: 'message'; readonly message: DescMessage }

/** A field that can be decoded, with its one value or the values that it repeats. */
export interface FieldCode {
  readonly number: number
  /** Property of the message; of the choice, where the field is a member of a oneof. */
  readonly property: string
  readonly value: ValueCode
  readonly repeated: boolean
  /** Whether the property is there only when the field was. */
  readonly optional: boolean
  readonly oneof: DescOneof | undefined
}

/** @throws Error that names the field, where it has a kind that is not taken. */
export function fieldCode(field: DescField): FieldCode {
  return {
    number: field.number,
    property: field.localName,
    value: valueCode(field),
    repeated: field.fieldKind === 'list',
    optional: field.presence !== IMPLICIT && field.oneof === undefined,
    oneof: field.oneof,
  }
}

/** `google.protobuf.FeatureSet.FieldPresence.IMPLICIT`: a zero value and no value are the same. */
const IMPLICIT = 2

/** @throws Error that names the file, where it is not proto3. */
export function requireProto3(message: DescMessage): void {
  if (message.file.edition !== Edition.EDITION_PROTO3) {
    throw new Error(`${message.file.name}.proto: decoders are generated for proto3 only`)
  }
}

function valueCode(field: DescField): ValueCode {
  if (field.fieldKind === 'map') refuse(field, 'a map')
  if ('longAsString' in field && field.longAsString) refuse(field, 'a 64-bit number as text (jstype)')
  if (field.message !== undefined) {
    if (field.message.file !== field.parent.file) refuse(field, 'a message of another file')
    return { kind: 'message', message: field.message }
  }
  if (field.enum !== undefined) {
    if (!field.enum.open) refuse(field, 'a closed enum')
    return { kind: 'scalar', scalar: SCALARS[ScalarType.INT32], packable: true }
  }
  const packable = field.scalar !== ScalarType.STRING && field.scalar !== ScalarType.BYTES
  return { kind: 'scalar', scalar: SCALARS[field.scalar], packable }
}

function refuse(field: DescField, what: string): never {
  throw new Error(`${field.parent.typeName}.${field.name}: decoders are not generated for ${what}`)
}
