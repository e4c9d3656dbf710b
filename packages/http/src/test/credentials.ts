/** The credentials of the tests' signer and of the local service. */
export const APP_KEY = 'app-key-of-the-tests'
export const APP_SECRET = 'app-secret-of-the-tests'
