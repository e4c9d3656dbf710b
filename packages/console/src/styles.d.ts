/** Style sheets are imported for their effect on the page. They export nothing. */
declare module '*.css' {}
