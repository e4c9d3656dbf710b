/**
 * The kinds of field that the generator supports: those of the event services. It rejects any other kind with
 * an error that names the kind.
 */
import { type DescField, ScalarType } from '@bufbuild/protobuf'
import { functionName, typeName, variableName } from './names.ts'

/** The generated code for one field. */
export interface FieldCode {
  readonly number: number
  /** Property of the message. */
  readonly property: string
  /** Variable that contains the value until the message is created. */
  readonly variable: string
  /** Type of one value. */
  readonly type: string
  /** Value of a missing field. */
  readonly zero: string
  /** Method of the reader. `undefined` for a message. */
  readonly method: string | undefined
  /** Expression that reads one value. */
  readonly read: string
  readonly isList: boolean
}

type Scalar = readonly [method: string, type: string, zero: string]

const INT32: Scalar = ['int32', 'number', '0']
const SCALARS: ReadonlyMap<ScalarType, Scalar> = new Map<ScalarType, Scalar>([
  [ScalarType.INT32, INT32],
  [ScalarType.UINT32, ['uint32', 'number', '0']],
  [ScalarType.INT64, ['int64', 'bigint', '0n']],
  [ScalarType.STRING, ['string', 'string', "''"]],
])

/** `google.protobuf.FeatureSet.FieldPresence.IMPLICIT`: a missing field is the same as the zero value. */
const IMPLICIT = 2

/** @throws Error that names the field if the generator does not support its kind. */
export function fieldCode(field: DescField): FieldCode {
  if (field.fieldKind === 'map') refuse(field, 'a map')
  const isList = field.fieldKind === 'list'
  const property = field.localName
  const common = { number: field.number, property, variable: variableName(property), isList }
  if (field.message !== undefined) {
    if (field.message.file !== field.parent.file) refuse(field, 'a message of another file')
    if (!isList) refuse(field, 'a message outside of a list')
    const read = `${functionName(field.message)}(reader, reader.limit(), depth + 1)`
    return { ...common, type: typeName(field.message), zero: '', method: undefined, read }
  }
  if (field.presence !== IMPLICIT) refuse(field, '"optional" or "oneof"')
  if ('longAsString' in field && field.longAsString) refuse(field, 'a 64-bit number as a string (jstype)')
  const scalar = field.enum?.open === true ? INT32 : field.scalar && SCALARS.get(field.scalar)
  if (scalar === undefined) refuse(field, 'this type')
  const [method, type, zero] = scalar
  if (isList && method !== 'string') refuse(field, 'a list of numbers')
  return { ...common, type, zero, method, read: `reader.${method}()` }
}

function refuse(field: DescField, kind: string): never {
  throw new Error(`${field.parent.typeName}.${field.name}: decoders are not generated for ${kind}`)
}
