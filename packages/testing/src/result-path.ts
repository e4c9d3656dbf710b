/** The path to which a page posts its result. It is a separate file, because pages import it. */
export const RESULT_PATH = '/result-of-the-page'
