/** Option schemas, names and time limits for the packages of this repository. Outside semantic versioning: do not import this entry. */
export { verificationDeadline } from './access/lifecycle.ts'
export { ACCESS_TOKENS_OPTIONS } from './access/options.ts'
export { TOKEN_ENDPOINTS_OPTIONS } from './endpoints/token-endpoints.ts'
export { OPERATION_RATE_LIMITER_OPTIONS } from './limiter/operation-rate-limiter.ts'
export { TOKEN_RATE_LIMITER_OPTIONS } from './limiter/rate-limiter.ts'
export { TOKENS_OBSERVER } from './observer.ts'
export { oldAccessTokenStoreKey } from './shared-options.ts'
