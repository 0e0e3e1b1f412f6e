/** Read by the engine when it is loaded, so this module is imported before it. In bytes. */
process.env['UWS_HTTP_MAX_HEADERS_SIZE'] ??= '65536';
