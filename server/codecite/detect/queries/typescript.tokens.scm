(class_body (decorator) @attribute)
