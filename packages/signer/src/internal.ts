/**
 * Option schemas for the packages of this repository. They are outside of semantic versioning: do not import
 * them.
 */
export { SIGNER_OPTIONS } from './signer-options.ts'
