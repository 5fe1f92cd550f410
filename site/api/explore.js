// The published reference only shows requests; the page /docs of a server sends them.
SwaggerUIBundle({ url: '../openapi.json', dom_id: '#swagger-ui', supportedSubmitMethods: [] })
