.DEFAULT_GOAL := help

.PHONY: help
help: ## show this list
	@awk -F ':.*## ' '/^[a-z][a-z-]*:.*## / { printf "  %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

dynamodb_local := .tools/dynamodb-local

.PHONY: tools
tools: $(dynamodb_local)/.stamp ## fetch what the tests need beside Go: DynamoDB Local (needs mvn, and java 17 to run it)

# Copied beside the old one and then moved, so that an interrupted copy is never taken for a whole one.
$(dynamodb_local)/.stamp: .ci/dynamodb-local/pom.xml
	rm -rf $(dynamodb_local) $(dynamodb_local).part
	mvn --batch-mode --quiet --file $< org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies \
		-DincludeScope=runtime -DoutputDirectory=$(CURDIR)/$(dynamodb_local).part/lib
	mv $(dynamodb_local).part $(dynamodb_local)
	touch $@
