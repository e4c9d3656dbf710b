/**
 * The whole table, its sources and the descriptions of its fields: for documents and tools. A bundle with this entry
 * contains every operation.
 */
export { FIELD_DESCRIPTIONS } from './table/field-descriptions.ts'
export { type OpenApiDocument, openApiDocument } from './table/openapi.ts'
export { OPERATION_DESCRIPTIONS } from './table/operation-descriptions.ts'
export { OPERATIONS, type TableRow } from './table/operations.ts'
export { RESPONSE_SOURCES, type ResponseSource } from './table/response-sources.ts'
export { SOURCES, type Source } from './table/sources.ts'
