/** Option schemas for the packages of this repository. Not covered by semantic versioning: do not import. */
export { SIGNER_OPTIONS } from './signer-options.ts'
