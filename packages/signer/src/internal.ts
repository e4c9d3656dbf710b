/**
 * Option schemas and functions for the packages of this repository. They are outside of semantic versioning:
 * do not import them.
 */
export { isTokenText } from './access-token.ts'
export { signedHeaders } from './grpc/request-signer.ts'
export { SIGNER_OPTIONS } from './signer-options.ts'
