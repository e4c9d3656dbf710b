/** The path to which a page posts its answer. A separate file, because pages import it. */
export const ANSWER_PATH = '/answer-of-the-page'
