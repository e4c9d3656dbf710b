/** Schemas of options, for the packages of this repository. Outside semantic versioning: do not import it. */
export { HTTP_CLIENT_OPTIONS } from './client-options.ts'
