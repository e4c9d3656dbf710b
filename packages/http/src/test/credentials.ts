/** What the tests' signer and the local service both know. */
export const APP_KEY = 'app-key-of-the-tests'
export const APP_SECRET = 'app-secret-of-the-tests'
